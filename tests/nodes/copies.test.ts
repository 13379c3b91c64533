/** Copies of a store that several nodes have used. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entriesOf } from '../../src/catalog/entries.js';
import { isLiveState } from '../../src/catalog/keys/live-keys.js';
import { isNodeState, NODES_AREA, WATCHED_DATABASES } from '../../src/catalog/keys/node-keys.js';
import { openDatabase } from '../../src/session/database/database.js';
import type { Engine, Entry, Key } from '../../src/storage/contract.js';
import { copyStore } from '../../src/storage/copy/copy-store.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom } from '../../src/value/value.js';
import { NodeDatabases } from '../support/node-databases.js';
import { live, PEOPLE, run, settled, shown } from './two-nodes.js';

const NO_PROGRESS = { copied: () => undefined, verifying: () => undefined, verified: () => undefined };

let nodes: NodeDatabases;
beforeEach(() => {
  nodes = new NodeDatabases();
});
afterEach(() => nodes.close());

async function contents(engine: Engine): Promise<Entry[]> {
  const reader = await engine.begin({ writable: false });
  const entries = await nodes.during(entriesOf(reader, { from: '', to: '\xff'.repeat(2_000) }));
  reader.cancel();
  return entries;
}

const keysOf = (entries: readonly Entry[]): Key[] => entries.map(([key]) => key);

test('have nothing of the nodes, of sessions and of live queries in them, and all of the data', async () => {
  const [one, two] = [await nodes.join(), await nodes.join()];
  await nodes.ask(one, `DEFINE TABLE a; ${PEOPLE}`);
  two.owner.listen(() => undefined);
  await nodes.ask(two, 'LIVE SELECT * FROM a');
  const session = two.database.session({});
  session.listen(() => undefined);
  await nodes.during(session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' })));
  await nodes.ask(one, 'CREATE a:1 SET n = 1');
  await nodes.pass(3_000);
  const stored = await contents(one.engine);
  const before = keysOf(stored);
  expect(before.filter(isLiveState).length).toBeGreaterThanOrEqual(3);

  // The simulated store itself has no support for copies.
  const [from, to] = [new MemoryEngine(), new MemoryEngine()];
  const writer = from.begin({ writable: true });
  for (const [key, value] of stored) writer.put(key, value);
  await writer.commit();
  await copyStore({ from, to, source: 'the source', isLeftOut: isNodeState }, NO_PROGRESS);
  const after = keysOf(await contents(to));
  expect(after.filter((key) => key.startsWith(NODES_AREA))).toEqual([expect.stringContaining(WATCHED_DATABASES.from)]);
  expect(after.filter(isLiveState)).toEqual([]);
  expect(after).toEqual(before.filter((key) => !isNodeState(key)));

  const copied = await openDatabase(to);
  const owner = copied.ownerSession();
  await owner.use('test', 'test');
  expect(toText((await run(owner, 'SELECT * FROM a, user'))[0])).toBe('[{ id: a:1, n: 1 }, { id: user:ann }]');
  expect((await run(owner, '(INFO FOR TABLE a).lives'))[0]).toEqual({});
  const heard: string[] = [];
  owner.listen((each) => void heard.push(shown(each)));
  await live(owner, 'LIVE SELECT VALUE n FROM a');
  await run(owner, 'CREATE a:2 SET n = 2');
  await settled();
  expect(heard).toEqual(['CREATE a:2 2']);
  await copied.close();
});
