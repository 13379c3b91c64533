// Memory for each stored record: the growth of the heap after 100,000 records, and the peak of the process while they came in.
//
//   npm run build && cd bench && npm run memory
import { open } from '../dist/embedded/index.js';

const ROWS = 100_000;
const db = await open('memory');
await db.use('bench', 'bench');
await db.query('DEFINE TABLE person SCHEMALESS');
globalThis.gc();
const before = process.memoryUsage();
let peak = before.rss;
for (let at = 0; at < ROWS; at += 1_000) {
  const rows = Array.from({ length: 1_000 }, (_, n) => ({
    id: at + n,
    name: `person ${at + n}`,
    age: n % 100,
    active: n % 3 === 0,
  }));
  await db.query('INSERT INTO person $rows RETURN NONE', { rows });
  peak = Math.max(peak, process.memoryUsage().rss);
}
globalThis.gc();
const after = process.memoryUsage();
console.log(`heap for each record:  ${((after.heapUsed - before.heapUsed) / ROWS).toFixed(0)} bytes`);
console.log(`peak for each record:  ${((peak - before.rss) / ROWS).toFixed(0)} bytes (resident, while loading)`);
await db.close();
