/**
 * A process to be killed: `node crash-child.js <folder> <mode>`.
 *
 * `commit` commits in several loops at once and prints each commit once it is acknowledged. `large` does so with commits of many changes, one after
 * the other, and prints when each begins, what the thread that writes is sent, and when it has answered. `put` prints when it has put but not committed.
 */
import { writeSync } from 'node:fs';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { commitPair } from '../support/paired-writes.js';

const [, , folder = '', mode = ''] = process.argv;
const engine = openLmdb(folder);

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function loop(name: string): Promise<void> {
  const start = engine.begin({ writable: false });
  const first = ((start.get(`last/${name}`) as number | undefined) ?? 0) + 1;
  start.cancel();
  for (let round = first; ; round++) {
    await commitPair(engine, name, round);
    say(`${name} ${round}`);
  }
}

/** Each gives every key the next value. */
async function commitMany(): Promise<void> {
  let round = 1;
  process.once('worker', (worker) => {
    say('thread');
    const send = worker.postMessage.bind(worker);
    worker.postMessage = (message: { readonly kind: string }, transfer) => {
      say(`${message.kind} ${round}`);
      send(message, transfer as []);
    };
    worker.on('message', () => say(`answer ${round}`));
  });
  for (; ; round++) {
    const transaction = engine.begin({ writable: true });
    for (let at = 0; at < 10_000; at++) transaction.put(`many/${at}`, round);
    say(`begin ${round}`);
    await transaction.commit();
    say(`end ${round}`);
  }
}

if (mode === 'large') await commitMany();
else if (mode === 'put') {
  const transaction = engine.begin({ writable: true });
  transaction.put('uncommitted', true);
  say('put');
  process.stdin.resume();
} else {
  await Promise.all(['a', 'b', 'c'].map(loop));
}
