// Both engines behind one question: what does this text answer in this session?
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openPeer, PEER } from './peer.mjs';

export const DIST = fileURLToPath(new URL('../dist', import.meta.url));

const partOf = (dist, path) => import(pathToFileURL(resolve(dist, path)));

/** Versionstamps tell the time; a script shows them as 0. */
const answered = (toText) => (value) => `--> ${toText(value).replace(/\bversionstamp: \d+/g, 'versionstamp: 0')}`;
const failed = (error) => `--! ${error.message ?? error}`;

/**
 * Tessera from a build, in memory. Sessions are named; each selects test/test at first and acts as owner until it signs in.
 * `ask` gives a line for each statement, as in the scripts of tests/, `enter` what went wrong when signing in or up.
 */
export async function openTessera(dist) {
  const { open, toText } = await partOf(dist, 'embedded/index.js');
  const { encodeCbor } = await partOf(dist, 'value/codecs/cbor-encode.js');
  const tessera = await open('memory');
  const shown = answered(toText);
  const sessions = new Map();

  async function session(name) {
    if (!sessions.has(name)) {
      const opened = name === 'owner' ? tessera : tessera.session();
      await opened.use('test', 'test');
      sessions.set(name, opened);
    }
    return sessions.get(name);
  }

  return {
    async ask(name, text) {
      try {
        const results = await (await session(name)).run(text);
        // The peer's answers come over a wire, which can't carry everything.
        for (const { outcome } of results) if (outcome.ok) encodeCbor(outcome.value);
        return results.map(({ outcome }) => (outcome.ok ? shown(outcome.value) : failed(outcome.error)));
      } catch (error) {
        return [failed(error)];
      }
    },
    async use(name, ...path) {
      await (await session(name)).use(...path);
    },
    async enter(name, method, body) {
      const opened = await session(name);
      try {
        await (method === 'signin' ? opened.signIn(body) : opened.signUp(body));
        return [];
      } catch (error) {
        return [failed(error)];
      }
    },
    close: () => tessera.close(),
  };
}

/** The peer, asked and answering likewise. `dist` is the build of Tessera whose codec reads its answers. */
export async function openPeerEngine(dist, folder = PEER) {
  const { toText } = await partOf(dist, 'embedded/index.js');
  const codec = {
    ...(await partOf(dist, 'value/codecs/cbor-encode.js')),
    ...(await partOf(dist, 'value/codecs/cbor-decode.js')),
    ...(await partOf(dist, 'value/uuid.js')),
    ...(await partOf(dist, 'embedded/from-javascript.js')),
  };
  const peer = await openPeer(codec, folder);
  const shown = answered(toText);
  return {
    async ask(name, text) {
      try {
        const results = await peer.call(name, 'query', [text]);
        return results.map(({ status, result }) => (status === 'OK' ? shown(result) : failed(result)));
      } catch (error) {
        return [failed(error)];
      }
    },
    use: (name, ...path) => peer.call(name, 'use', path),
    async enter(name, method, body) {
      try {
        await peer.call(name, method, [body]);
        return [];
      } catch (error) {
        return [failed(error)];
      }
    },
    close: () => peer.close(),
  };
}

/** Both, each in memory. */
export async function openEngines(dist, folder = PEER) {
  return { here: await openTessera(dist), there: await openPeerEngine(dist, folder) };
}
