// A list of 100 records, each with a record that it links to: our GraphQL beside the same SELECT over our /sql, and beside Mercurius with
// the same rows in memory and resolvers written by hand, with and without its compiler of queries. The same client for all of them,
// alternating rounds, medians.
//
//   npm run build && cd bench && npm ci && npm run graphql
import assert from 'node:assert/strict';
import { AUTHORS, BOOKS } from './books.mjs';
import { bodyOf, measure, median, printRow } from './rates.mjs';
import { httpConnection, postBytes } from './raw-client.mjs';
import { startServer } from './server-process.mjs';

const CONNECTIONS = 16;
const ROUNDS = 15;

const TESSERA = ['start', 'memory', '--user', 'root', '--pass', 'secret', '--bind', '127.0.0.1:8766'];
const servers = {
  tessera: await startServer('../dist/bin/tessera.js', ...TESSERA, '--allow-experimental', 'graphql'),
  mercurius: await startServer('mercurius-server.mjs'),
  jit: await startServer('mercurius-server.mjs', 'jit'),
};

const setup = await httpConnection(servers.tessera.port);
const place = { accept: 'application/json', 'svc-ns': 'bench', 'svc-db': 'bench' };
const signIn = postBytes(
  '/signin',
  { accept: 'application/json', 'content-type': 'application/json' },
  JSON.stringify({ user: 'root', pass: 'secret' }),
);
const { token } = JSON.parse(bodyOf(await setup.ask(signIn)));
const headers = { ...place, authorization: `Bearer ${token}` };
await setup.ask(
  postBytes(
    '/sql',
    headers,
    `DEFINE CONFIG GRAPHQL AUTO;
     DEFINE TABLE author SCHEMAFULL; DEFINE FIELD name ON author TYPE string;
     DEFINE TABLE book SCHEMAFULL; DEFINE FIELD title ON book TYPE string; DEFINE FIELD pages ON book TYPE int;
     DEFINE FIELD author ON book TYPE record<author>;
     FOR $row IN ${JSON.stringify(AUTHORS)} { CREATE type::record($row.id) SET name = $row.name };
     FOR $row IN ${JSON.stringify(BOOKS)} {
       CREATE type::record($row.id) SET title = $row.title, pages = $row.pages, author = type::record($row.author)
     };`,
  ),
);

const GRAPHQL = JSON.stringify({ query: '{ book(limit: 100) { id title pages author { id name } } }' });
const graphqlHeaders = {
  ...headers,
  accept: 'application/graphql-response+json, application/json',
  'content-type': 'application/json',
};
const sql = (text) => ({ server: servers.tessera, bytes: postBytes('/sql', headers, text) });
const graphql = (server) => ({ server, bytes: postBytes('/graphql', graphqlHeaders, GRAPHQL) });
const CASES = {
  'Tessera GraphQL': graphql(servers.tessera),
  'Tessera /sql, author.{…}': sql('SELECT id, title, pages, author.{id, name} FROM book LIMIT 100'),
  'Tessera /sql, FETCH author': sql('SELECT id, title, pages, author FROM book LIMIT 100 FETCH author'),
  Mercurius: graphql(servers.mercurius),
  'Mercurius, jit': graphql(servers.jit),
};

for (const one of Object.values(CASES)) {
  one.connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => httpConnection(one.server.port)));
}
const rowsOf = async ({ connections: [connection], bytes }) => {
  const answer = JSON.parse(bodyOf(await connection.ask(bytes)));
  return answer.data?.book ?? answer[0].result;
};
// All of them say the same.
const expected = await rowsOf(CASES.Mercurius);
assert.equal(expected.length, 100);
for (const one of Object.values(CASES)) assert.deepEqual(await rowsOf(one), expected);

const rounds = [];
for (let round = 0; round < ROUNDS; round++) {
  const results = {};
  for (const [name, { server, connections, bytes }] of Object.entries(CASES)) {
    results[name] = await measure(server, connections, bytes);
  }
  rounds.push(results);
}
printRow('', ['requests/s', 'µs of server', 'GraphQL: ×']);
for (const name of Object.keys(CASES)) {
  // Ratios within a round: what disturbs one of the two likely disturbs the other.
  const middle = (of) => median(rounds.map(of));
  printRow(name, [
    middle((round) => round[name].rate).toFixed(0),
    middle((round) => round[name].cost).toFixed(0),
    middle((round) => round['Tessera GraphQL'].cost / round[name].cost).toFixed(2),
  ]);
}
for (const server of Object.values(servers)) server.stop();
process.exit(0);
