/**
 * A server that sends the mails in a store, and may be killed at a commit: `node mail-kills-child.js <folder> <ahead>
 * [<commit> before|after]`. Its clock is ahead by so many seconds. It prints what the outbox holds once nothing waits.
 */
import { findDatabase } from '../../../src/catalog/definitions/lookup.js';
import { prefixRange } from '../../../src/catalog/keys/key-bytes.js';
import { mailPrefix } from '../../../src/catalog/keys/store-keys.js';
import type { Environment } from '../../../src/env/environment.js';
import { realEnvironment } from '../../../src/env/real.js';
import { readTarget } from '../../../src/functions/network/targets.js';
import { openDatabase } from '../../../src/session/database/database.js';
import type { Engine } from '../../../src/storage/contract.js';
import { openLmdb } from '../../../src/storage/lmdb/engine/lmdb.js';
import { toText } from '../../../src/value/text/text.js';

const [, , folder = '', ahead = '0', at, when] = process.argv;
const { clock } = realEnvironment;
const environment: Environment = {
  ...realEnvironment,
  clock: { ...clock, now: () => clock.now() + BigInt(ahead) * 1_000_000_000n },
};

const engine = openLmdb(folder);
let left = at === undefined ? Number.POSITIVE_INFINITY : Number(at);
const die = () => void process.kill(process.pid, 'SIGKILL');

/** Counts the commits of what is written, and ends the process around one of them. */
function killing(inner: Engine): Engine {
  const { begin } = inner;
  inner.begin = (options) => {
    const transaction = begin.call(inner, options);
    if (transaction instanceof Promise || !options.writable) return transaction;
    const { commit } = transaction;
    transaction.commit = () => {
      const isNow = --left === 0;
      if (isNow && when === 'before') die();
      const done = commit.call(transaction);
      if (!isNow) return done;
      return done instanceof Promise ? done.then(die) : die();
    };
    return transaction;
  };
  return inner;
}

const database = await openDatabase(killing(engine), { environment, network: { allow: [readTarget('127.0.0.1')!] } });
const owner = database.ownerSession();
await owner.use('test', 'test');
for (;;) {
  const snapshot = await engine.begin({ writable: false });
  const { id } = (await findDatabase(snapshot, 'test', 'test'))!;
  const waiting = await snapshot.count(prefixRange(mailPrefix(id, 'waiting')));
  snapshot.cancel();
  if (waiting === 0) break;
  await environment.timers.wait(20);
}
const [result] = await owner.query('(INFO FOR MAIL).map(|$mail| [$mail.state, $mail.tries])');
process.stdout.write(`${result?.outcome.ok === true ? toText(result.outcome.value) : 'failed'}\n`);
await database.close();
process.exit(0);
