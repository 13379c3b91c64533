// The embedded peer, asked on its own wire (CBOR requests in, CBOR answers out) and read with our codec, so that kinds such as int and
// float stay apart. Panics of the peer end this process.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const NATIVE = `surrealdb-node.${process.platform}-${process.arch}`;

/** The folder in whose `node_modules` the peer is looked for, where none is given. */
export const PEER = fileURLToPath(new URL('.', import.meta.url));

/** The package's addon itself: its JavaScript face wants the official client around it, which doesn't keep every kind. */
function loadEngine(peerFolder) {
  const folder = join(resolve(peerFolder), 'node_modules', '@surrealdb', 'node');
  if (!existsSync(folder)) throw new Error(`${peerFolder} has no @surrealdb/node: \`npm ci\` there, or --peer FOLDER`);
  const names = [`${NATIVE}-gnu.node`, `${NATIVE}-musl.node`, `${NATIVE}-msvc.node`, `${NATIVE}.node`];
  const paths = [folder, join(folder, 'dist')].flatMap((place) => names.map((name) => join(place, name)));
  const addon = paths.find((path) => existsSync(path));
  if (addon === undefined) throw new Error(`@surrealdb/node has no engine for ${NATIVE}`);
  return createRequire(import.meta.url)(addon).SurrealNodeEngine;
}

/**
 * A peer with an empty store, from the package in `folder`. `codec` holds our encodeCbor, decodeCbor, parseUuid and fromJavaScript.
 * Sessions are named; each selects test/test at first and acts as owner until it signs in.
 */
export async function openPeer({ encodeCbor, decodeCbor, parseUuid, fromJavaScript }, folder = PEER) {
  const engine = await loadEngine(folder).connect('mem://', {
    capabilities: {
      scripting: true,
      guest_access: true,
      live_query_notifications: true,
      functions: true,
      experimental: true,
    },
  });
  const sessions = {};
  const send = async (session, method, params) => {
    const request = fromJavaScript({ id: 1, session, method, params });
    const answer = decodeCbor(await engine.execute(encodeCbor(request)), { maxDepth: 1000 });
    if (answer?.error !== undefined) throw new Error(answer.error.message ?? answer.error);
    return answer;
  };
  return {
    /** Calls an RPC method in a session. Throws with the peer's text when the request as a whole is refused. */
    async call(name, method, params) {
      let session = sessions[name];
      if (session === undefined) {
        session = parseUuid(randomUUID());
        sessions[name] = session;
        await send(session, 'attach', []);
        await send(session, 'use', ['test', 'test']);
      }
      return send(session, method, params);
    },
    close: () => engine.free(),
  };
}
