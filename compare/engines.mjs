// Both engines behind one question: what does this text answer in this session?
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openPeer } from './peer.mjs';

export const DIST = fileURLToPath(new URL('../dist', import.meta.url));

/** Opens Tessera from a build, and the peer; both in memory, with a session named `owner` that owns everything. */
export async function openEngines(dist) {
  const ours = (path) => import(pathToFileURL(resolve(dist, path)));
  const { open, toText } = await ours('embedded/index.js');
  const { encodeCbor } = await ours('value/cbor-encode.js');
  const peer = await openPeer({
    ...(await ours('value/cbor-encode.js')),
    ...(await ours('value/cbor-decode.js')),
    ...(await ours('value/uuid.js')),
    ...(await ours('embedded/from-javascript.js')),
  });
  const tessera = await open('memory');
  const sessions = new Map();

  async function session(name) {
    if (!sessions.has(name)) {
      const opened = name === 'owner' ? tessera : tessera.session();
      await opened.use('test', 'test');
      sessions.set(name, opened);
    }
    return sessions.get(name);
  }

  /** Versionstamps tell the time; a script shows them as 0. */
  const answered = (value) => `--> ${toText(value).replace(/\bversionstamp: \d+/g, 'versionstamp: 0')}`;
  const failed = (error) => `--! ${error.message ?? error}`;

  return {
    /** What each engine answers: a line for each statement, as in the scripts of tests/. */
    async here(name, text) {
      try {
        const results = await (await session(name)).run(text);
        // The peer's answers come over a wire, which can't carry everything.
        for (const { outcome } of results) if (outcome.ok) encodeCbor(outcome.value);
        return results.map(({ outcome }) => (outcome.ok ? answered(outcome.value) : failed(outcome.error)));
      } catch (error) {
        return [failed(error)];
      }
    },
    async there(name, text) {
      try {
        const results = await peer.call(name, 'query', [text]);
        return results.map(({ status, result }) => (status === 'OK' ? answered(result) : failed(result)));
      } catch (error) {
        return [failed(error)];
      }
    },
    async use(name, ...place) {
      await (await session(name)).use(...place);
      await peer.call(name, 'use', place);
    },
    /** Signs in or up on both; gives the texts of what went wrong. */
    async enter(name, method, body) {
      const opened = await session(name);
      const wrong = [];
      const note = (where) => (error) => wrong.push(`${where} ${error.message}`);
      await (method === 'signin' ? opened.signIn(body) : opened.signUp(body)).catch(note('here'));
      await peer.call(name, method, [body]).catch(note('peer'));
      return wrong;
    },
    close: () => tessera.close(),
  };
}
