/** The entries by which referring records are found, compared with the records. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileEdgesRange } from '../../src/catalog/keys/edge-keys.js';
import { checkEntries } from '../../src/ddl/check/check-entries.js';
import { Faults } from '../../src/ddl/check/fault.js';
import type { Engine, Key, Transaction } from '../../src/storage/contract.js';
import { openEngine } from '../../src/storage/open/open.js';
import { run, World } from '../support/world.js';

let engine: Engine;
let world: World;
beforeEach(async () => {
  engine = await openEngine('memory');
  world = await World.open({}, engine);
  await run(
    world.owner,
    `DEFINE FIELD f ON c TYPE option<array<file>> REFERENCE; CREATE c:1 SET f = [f"b:/x", f"b:/y"];
     DEFINE FIELD f ON gone TYPE option<file> REFERENCE; CREATE gone:1 SET f = f"b:/z"; REMOVE TABLE gone`,
  );
});
afterEach(() => world.database.close());

async function faults(): Promise<string[]> {
  const found = new Faults();
  await checkEntries(engine, found, () => undefined);
  return found.listed.map(({ part, place, what }) => `${part} of ${place}: ${what}`);
}

/** Changes the entries at files past everything that keeps them right. */
async function tamper(change: (transaction: Transaction, keys: readonly Key[]) => void): Promise<void> {
  const { catalog, release } = await world.owner.catalogSnapshot();
  release();
  const transaction = await engine.begin({ writable: true });
  const cursor = transaction.scan(fileEdgesRange(catalog?.database.id ?? 0));
  const keys: Key[] = [];
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next())
    for (const [key] of batch) keys.push(key);
  change(transaction, keys);
  await transaction.commit();
}

it('are sound, also of a table that is gone', async () => {
  expect(await faults()).toEqual([]);
});

it('are not missed of records that are gone, nor of tables', async () => {
  await run(
    world.owner,
    `DEFINE FIELD r ON d TYPE option<record> REFERENCE ON DELETE IGNORE;
     CREATE there:1, other:1; CREATE d:1 SET r = there:1; CREATE d:2 SET r = other:1;
     DELETE there:1; REMOVE TABLE other`,
  );
  expect(await faults()).toEqual([]);
});

it('are missed', async () => {
  await tamper((transaction, [x = '']) => transaction.delete(x));
  expect(await faults()).toEqual([
    'references of table c of test/test: the reference f of c:1 isn’t found from its end',
  ]);
});

it('are there for no record', async () => {
  await tamper((transaction, [x = '']) => {
    transaction.put(x.replace('/x', '/q'), 'f');
    transaction.put(`${x.slice(0, 10)}\0`, 'f');
  });
  expect((await faults()).toSorted()).toEqual([
    'references of files of test/test: a record of c is said to refer to f"b:/q", and doesn’t',
    'references of files of test/test: the key of a reference can’t be read',
  ]);
});
