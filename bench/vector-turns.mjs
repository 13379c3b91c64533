// The longest turns of the event loop while vectors are written, packed, linked and searched, and graphs mended and evicted, in one process:
// processor time, in milliseconds. Needs a build (`npm run build`).
//
//     node bench/vector-turns.mjs [rows=20000] [dimension=128]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../scripts/options.mjs';
import { seededRandom } from './data/seeded-random.mjs';
import { spread } from './data/vectors.mjs';
import { longestTurn, watchTurns } from './harness/turn-watch.mjs';
import { openVectorTable } from './harness/vector-table.mjs';

const HELP = `The longest turns of the event loop while vectors are linked, packed, searched and evicted. Needs a build.

  node bench/vector-turns.mjs [ROWS] [DIMENSION]

ROWS is how many vectors there are (20000), DIMENSION how many numbers each has (128).

  -h, --help   prints this`;
const { positionals } = readOptions(HELP, { allowPositionals: true });
const [ROWS, DIMENSION] = [20_000, 128].map((standard, at) => Number(positionals[at] ?? standard));
const SEARCHES = 20;

const random = seededRandom(1);
const vectors = spread(ROWS, DIMENSION, random);
const queries = spread(SEARCHES, DIMENSION, random);

async function phase(name, work) {
  longestTurn();
  await work();
  console.log(`${longestTurn().toFixed(1).padStart(8)} ms  ${name}`);
}
const each = (search) => async () => {
  for (const query of queries) await search(query);
};

const index = (name, field) => `DEFINE INDEX ${name} ON t FIELDS ${field} HNSW DIMENSION ${DIMENSION}`;
const folder = mkdtempSync(join(tmpdir(), 'tessera-vector-turns-'));
watchTurns();
for (const path of ['memory', folder]) {
  console.log(path === 'memory' ? 'in memory' : 'on disk');
  let table = await openVectorTable(path);
  await table.ask('DEFINE TABLE t');
  await phase('writing', () => table.write([...vectors.entries()], (at) => ({ flag: at % 2 === 0 })));
  await phase('the first exact search, which packs', () => table.search('v <|10,EUCLIDEAN|> $query')(queries[0]));
  await phase('exact searches', each(table.search('v <|10,EUCLIDEAN|> $query')));
  await phase('DEFINE INDEX … HNSW', () => table.ask(index('x', 'v')));
  await phase('linking', table.linked);
  await phase('searches by the index', each(table.search('v <|10,100|> $query')));
  await phase('searches by walking', each(table.search('v <|10,10|> $query AND flag')));
  await phase('deleting 30 %', () => table.ask('DELETE t WHERE id.id() % 10 < 3'));
  await phase('mending', table.linked);
  await table.close();
  if (path === 'memory') continue;
  // A graph takes more than half of this, so that the exact searches evict it.
  const size = ROWS * (4 * DIMENSION + 200);
  table = await openVectorTable(path, { memory: { vectors: size } });
  await phase('the first search after a restart, which reads the graph', () =>
    table.search('v <|10,10|> $query')(queries[0]),
  );
  await phase('searches that evict each other', async () => {
    for (const query of queries) {
      await table.search('v <|10,EUCLIDEAN|> $query')(query);
      await table.search('v <|10,10|> $query')(query);
    }
  });
  await table.close();
}
rmSync(folder, { recursive: true, force: true });
