// Tessera and its peer in process, side by side in one run: the same statements, alternating, medians of the rounds.
//
//   npm run build && cd bench && npm ci && npm run embedded            (arguments: rows, default 100000)
import { createNodeEngines } from '@surrealdb/node';
import { Surreal } from 'surrealdb';
import { createTesseraEngines } from '../dist/embedded/engines.js';
import { Tessera } from '../dist/embedded/index.js';

const ROWS = Number(process.argv[2] ?? 100_000);
const ROUNDS = 5;

const peer = new Surreal({ engines: createNodeEngines() });
await peer.connect('mem://');
await peer.use({ namespace: 'bench', database: 'bench' });
const tessera = await Tessera.open('memory');
await tessera.use('bench', 'bench');
/** The peer's client, with our engine in it. */
const client = new Surreal({ engines: createTesseraEngines() });
await client.connect('mem://', { namespace: 'bench', database: 'bench' });

const engines = {
  tessera: (text, variables) => tessera.query(text, variables),
  client: (text, variables) => client.query(text, variables),
  peer: (text, variables) => peer.query(text, variables),
};

async function fill(query) {
  await query('DEFINE TABLE person SCHEMALESS; DEFINE TABLE made SCHEMALESS');
  for (let at = 0; at < ROWS; at += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, ROWS - at) }, (_, n) => {
      const id = at + n;
      return { id, name: `person ${id}`, age: id % 100, active: id % 3 === 0, email: `person${id}@mail.example` };
    });
    await query('INSERT INTO person $rows RETURN NONE', { rows });
  }
}

let counter = 0;
/** What is measured: how often a round repeats it, and one repetition. */
const CASES = [
  ['RETURN 1', 2_000, (query) => query('RETURN 1')],
  ['create one', 2_000, (query) => query('CREATE made SET name = $name, n = $n', { name: 'x', n: counter++ })],
  ['read one by id', 2_000, (query) => query(`SELECT * FROM person:${counter++ % ROWS}`)],
  ['filtered count', 5, (query) => query('SELECT count() FROM person WHERE age > 50 AND active GROUP ALL')],
  ['filtered scan', 5, (query) => query('SELECT * FROM person WHERE age = 42')],
  ['full scan', 3, (query) => query('SELECT * FROM person')],
];

async function time(repeat, work) {
  const began = performance.now();
  for (let at = 0; at < repeat; at++) await work();
  return ((performance.now() - began) * 1_000) / repeat;
}
const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const shown = (microseconds) =>
  microseconds < 1_000 ? `${microseconds.toFixed(1)} µs` : `${(microseconds / 1_000).toFixed(2)} ms`;

for (const [name, query] of Object.entries(engines)) {
  const began = performance.now();
  await fill(query);
  console.log(`${name}: ${ROWS} records in ${((performance.now() - began) / 1_000).toFixed(2)} s`);
}
const columns = (cells) =>
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(18) : cell.padStart(12))).join(''));
const ratio = (theirs, ours) => `${(theirs / ours).toFixed(1)}×`;
columns(['case', 'tessera', 'client', 'peer', 'ratio', 'client’s']);
for (const [name, repeat, work] of CASES) {
  const times = Object.fromEntries(Object.keys(engines).map((engine) => [engine, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const engine of Object.keys(engines)) times[engine].push(await time(repeat, () => work(engines[engine])));
  }
  const [ours, clients, theirs] = [median(times.tessera), median(times.client), median(times.peer)];
  columns([name, shown(ours), shown(clients), shown(theirs), ratio(theirs, ours), ratio(theirs, clients)]);
}
await tessera.close();
await client.close();
await peer.close();
process.exit(0);
