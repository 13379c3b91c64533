// Requests over the network, sixteen clients at a time: how many a second, and what each costs the server.
import { LISTED, VISITED } from '../data/network.mjs';
import { personOf } from '../data/people.mjs';

const JSON_ID = (row) => ({ ...row, id: `person:${row.id}` });
const WHO = 7;
const READ = `SELECT * FROM person:${WHO}`;
const LISTED_CITY = 'Turin';
const inCity = (rows) =>
  Array.from({ length: rows }, (_, id) => personOf(id)).filter(({ city }) => city === LISTED_CITY);

const measured = { figure: 'rate', sample: (opened, { operation }) => opened.flood(operation) };

/**
 * @param {string} text
 * @param {(rows: number) => unknown} gives  what a server that knows its answers is to say
 * @param {{as?: string, atOnce?: number}} [how]
 */
const asked = (text, gives, how = {}) => ({
  wire: (opened) => opened.request(text, how),
  bare: (opened, { rows }) => opened.request(text, { ...how, gives: gives(rows) }),
});
const sql = (text) => ({ postgres: (opened) => opened.request(text) });

/** @type {import('../harness/contract.mjs').Workload[]} */
export const NETWORK = [
  {
    name: 'RETURN 1',
    ...asked('RETURN 1', () => 1),
    ...sql('SELECT 1 AS one'),
    answer: (given) => given[0]?.one ?? given,
  },
  {
    name: 'read by id',
    ...asked(READ, () => [JSON_ID(personOf(WHO))]),
    ...sql(`SELECT * FROM person WHERE id = ${WHO}`),
  },
  { name: 'read by id, record user', ...asked(READ, () => [JSON_ID(personOf(WHO))], { as: 'user' }) },
  {
    name: 'change one',
    ...asked(`UPDATE changed:${WHO} SET age = 37 RETURN NONE`, () => []),
    ...sql(`UPDATE changed SET age = 37 WHERE id = ${WHO}`),
  },
  {
    name: '100 of 1,000 by a filter',
    ...asked(`SELECT * FROM person WHERE city = '${LISTED_CITY}'`, (rows) => inCity(rows).map(JSON_ID)),
    ...sql(`SELECT * FROM person WHERE city = '${LISTED_CITY}' ORDER BY id`),
  },
  {
    name: 'all rows',
    ...asked('SELECT * FROM person', (rows) => Array.from({ length: rows }, (_, id) => JSON_ID(personOf(id)))),
    only: ['websocket', 'websocket:cbor', 'websocket:flatbuffers'],
  },
  {
    name: 'read by id, 16 under way',
    ...asked(READ, () => [JSON_ID(personOf(WHO))], { atOnce: 16 }),
    only: ['websocket', 'websocket:cbor', 'bare:websocket'],
  },
].map((workload) => ({ data: VISITED, ...measured, ...workload, name: `${workload.name}, over the network` }));

/** @type {import('../harness/contract.mjs').Workload[]} */
export const LISTS = [
  ['author.{id, name}', 'SELECT id, title, pages, author.{id, name} FROM book LIMIT 100'],
  ['FETCH author', 'SELECT id, title, pages, author FROM book LIMIT 100 FETCH author'],
].map(([how, text]) => ({
  name: `100 with their links by GraphQL, or by \`${how}\``,
  data: LISTED,
  ...measured,
  wire: (opened) => opened.request(text),
  graphqlServer: (opened) => opened.request('{ book(limit: 100) { id title pages author { id name } } }'),
  only: ['http', 'http:graphql', 'mercurius', 'mercurius:jit'],
}));
