// Tessera as a server, over HTTP and WebSockets, beside bare servers of the same kind that know their answers. The client is the same for all
// of them and does as little as it can.
import { command, lacksCommand, tessera } from '../harness/build.mjs';
import { bodyOf, frame, httpConnection, payloadOf, postBytes, webSocketConnection } from '../harness/raw-client.mjs';
import { requests } from '../harness/requests.mjs';
import { startServer } from '../servers/start.mjs';
import { openSurrealql } from './surrealql.mjs';

const OWNER = { user: 'root', pass: 'secret' };
const ACCOUNT = { ns: 'bench', db: 'bench', ac: 'account', variables: {} };
const JSON_TYPE = 'application/json';
const PLACE = { accept: JSON_TYPE, 'svc-ns': 'bench', 'svc-db': 'bench' };
/** As much as a request to Tessera brings along. */
const AS_MUCH = { headers: { ...PLACE, authorization: `Bearer ${'x'.repeat(300)}` }, path: '/' };

const parsed = (bytes) => JSON.parse(String(bytes));
const lastResult = (results) => results.at(-1).result;

/** @type {import('../harness/requests.mjs').Way} */
const HTTP = {
  connect: (port) => httpConnection(port),
  bytes: ({ headers }, text) => postBytes('/sql', headers, text),
  decode: (answer) => lastResult(parsed(bodyOf(answer))),
};

/** @type {import('../harness/requests.mjs').Way} */
const GRAPHQL = {
  ...HTTP,
  bytes: ({ headers }, query) => {
    const accept = `application/graphql-response+json, ${JSON_TYPE}`;
    return postBytes('/graphql', { ...headers, accept, 'content-type': JSON_TYPE }, JSON.stringify({ query }));
  },
  decode: (answer) => Object.values(parsed(bodyOf(answer)).data)[0],
};

/** @returns {import('../harness/requests.mjs').Way} */
const webSocket = (protocol, { encode, decode }) => ({
  connect: async (port, { path = '/rpc', token }) => {
    const connection = await webSocketConnection(port, path, protocol);
    if (token === undefined) return connection;
    for (const [method, ...params] of [
      ['authenticate', token],
      ['use', 'bench', 'bench'],
    ]) {
      await connection.ask(frame(await encode({ id: 1, method, params })));
    }
    return connection;
  },
  bytes: async (_who, text) => frame(await encode({ id: 1, method: 'query', params: [text] })),
  decode: async (answer) => lastResult((await decode(payloadOf(answer))).result),
});
const IN_JSON = webSocket('json', { encode: JSON.stringify, decode: parsed });
/** In a format of Tessera's table. */
const webSocketIn = (name) => {
  const format = async () => (await tessera('value/codecs/formats')).FORMATS.find((each) => each.name === name);
  return webSocket(name, {
    encode: async (request) => {
      const { objectFromJavaScript } = await tessera('embedded/from-javascript');
      return (await format()).encode(objectFromJavaScript(request));
    },
    decode: async (bytes) => (await format()).decode(bytes),
  });
};
const IN_CBOR = webSocketIn('cbor');
const IN_FLATBUFFERS = webSocketIn('flatbuffers');

/** By what the two ends speak. */
export const WAYS = { http: HTTP, json: IN_JSON, cbor: IN_CBOR, flatbuffers: IN_FLATBUFFERS };

/** A server of its own with a dataset, set up by the official client. */
const openTessera =
  (way, ...flags) =>
  async (dataset, rows) => {
    const { user, pass } = OWNER;
    const given = ['memory', '--user', user, '--pass', pass, '--bind', '127.0.0.1:0', '--log', 'error', ...flags];
    const server = await startServer(command(), 'start', ...given);
    const { RecordId, Surreal } = await import('surrealdb');
    const db = new Surreal();
    const authentication = { username: user, password: pass };
    const where = { namespace: 'bench', database: 'bench' };
    await db.connect(`http://127.0.0.1:${server.port}/rpc`, { ...where, authentication });
    const connection = {
      query: (text, variables) => db.query(text, variables),
      record: (table, id) => new RecordId(table, id),
    };
    const opened = await openSurrealql(connection, dataset, rows);
    const asked = requests(server, way, ({ as }) => signIn(server.port, as === 'user' ? ACCOUNT : OWNER));
    const close = async () => {
      await db.close();
      asked.close();
    };
    return { ...opened, ...asked, close };
  };

async function signIn(port, credentials) {
  const connection = await httpConnection(port);
  const headers = { accept: JSON_TYPE, 'content-type': JSON_TYPE };
  const { token } = parsed(bodyOf(await connection.ask(postBytes('/signin', headers, JSON.stringify(credentials)))));
  connection.close();
  return { token, headers: { ...PLACE, authorization: `Bearer ${token}` } };
}

/** A server that has no dataset. `prepare` tells it what it needs to know of a request. */
const openOther = (script, way, prepare) => async () => {
  const server = await startServer(...script);
  const whoIs = async (how, text) => {
    await prepare?.(server, how, text);
    return AS_MUCH;
  };
  const asked = requests(server, way, whoIs);
  return { ...asked, record: (table, id) => `${table}:${id}`, load: () => undefined, clear: () => undefined };
};
const tell = (server, { gives }, text) => server.ask({ text, result: gives });

/** @type {import('../harness/contract.mjs').Target[]} */
const SERVERS = [
  ['http', 'HTTP', 'wire', openTessera(HTTP)],
  ['websocket', 'WebSocket', 'wire', openTessera(IN_JSON)],
  ['websocket:cbor', 'WebSocket, CBOR', 'wire', openTessera(IN_CBOR)],
  ['websocket:flatbuffers', 'WebSocket, FlatBuffers', 'wire', openTessera(IN_FLATBUFFERS)],
  ['http:graphql', 'GraphQL', 'graphqlServer', openTessera(GRAPHQL, '--allow-experimental', 'graphql')],
].map(([name, title, speaks, open]) => ({
  ...{ name, title, speaks, open, keeps: 'nothing' },
  ...{ needs: ['surrealdb'], lacks: lacksCommand },
}));

/** @type {import('../harness/contract.mjs').Target[]} */
const OTHERS = [
  ['bare:http', 'node:http', 'bare', [], openOther(['bare-http.mjs'], HTTP, tell)],
  ['bare:websocket', 'ws', 'bare', [], openOther(['bare-web-socket.mjs'], IN_JSON, tell)],
  ['mercurius', 'Mercurius', 'graphqlServer', ['mercurius'], openOther(['mercurius.mjs'], GRAPHQL)],
  ['mercurius:jit', 'Mercurius, `jit`', 'graphqlServer', ['mercurius'], openOther(['mercurius.mjs', 'jit'], GRAPHQL)],
].map(([name, title, speaks, needs, open]) => ({ name, title, speaks, needs, open, keeps: 'nothing' }));

export const NETWORK = [...SERVERS, ...OTHERS];
