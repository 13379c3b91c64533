/** Releases that know different formats of a store, on one store: none writes what another that is alive can't read. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { putStoreFormat } from '../../src/catalog/nodes/store-format.js';
import { openDatabase } from '../../src/session/database/database.js';
import { NODE_RENEWAL_INTERVAL, REMOVAL_TIME } from '../../src/session/nodes/membership.js';
import type { Engine } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { withRetries } from '../../src/storage/retry.js';
import { type DatabaseNode, NodeDatabases } from '../support/node-databases.js';

const OLDER = { formats: { oldest: 2, newest: 2 } };
const NEWER = { formats: { oldest: 2, newest: 3 } };
const NEWEST = { formats: { oldest: 3, newest: 4 } };

describe('Several releases', () => {
  let nodes: NodeDatabases;
  beforeEach(() => {
    nodes = new NodeDatabases();
  });
  afterEach(() => nodes.close());

  /** What the nodes write, by what one of them shows. */
  const written = (node: DatabaseNode) => nodes.ask(node, 'array::distinct((INFO FOR NODES).writes)');
  /** Long enough for two renewals. */
  const soon = () => nodes.pass(3 * NODE_RENEWAL_INTERVAL);

  test('write the format that all of them know, and a newer one as soon as the last older one is closed', async () => {
    const older = [await nodes.join(OLDER), await nodes.join(OLDER)];
    const newer = await nodes.join(NEWER);
    await soon();
    expect(await written(newer)).toBe('[2]');
    for (const each of older) {
      expect(await written(newer)).toBe('[2]');
      await nodes.during(each.database.close());
    }
    await soon();
    expect(await written(newer)).toBe('[3]');
  });

  test('wait until an older one that has died is no longer listed', async () => {
    const older = await nodes.join(OLDER);
    const newer = await nodes.join(NEWER);
    older.process.pause();
    await nodes.pass(REMOVAL_TIME - 2 * NODE_RENEWAL_INTERVAL);
    expect(await written(newer)).toBe('[2]');
    await nodes.pass(5 * NODE_RENEWAL_INTERVAL);
    expect(await written(newer)).toBe('[3]');
  });

  test('refuse an older one once they write what it does not know', async () => {
    const newer = await nodes.join(NEWER);
    await soon();
    await expect(nodes.join(OLDER)).rejects.toMatchObject({ code: 'storage_format' });
    await expect(nodes.join(OLDER)).rejects.toThrow('has format 3, which a newer Tessera wrote; this one knows 2');
    expect(await nodes.ask(newer, 'array::len(INFO FOR NODES)')).toBe('1');
  });

  test('refuse a newer one that no longer knows what they write', async () => {
    await nodes.join(OLDER);
    await expect(nodes.join(NEWEST)).rejects.toThrow('has format 2, and this version of Tessera knows 4 only');
  });

  test('do not serve from an older one that was declared dead and continues', async () => {
    const older = await nodes.join(OLDER);
    const newer = await nodes.join(NEWER);
    await nodes.ask(newer, 'CREATE a:1');
    older.process.pause();
    await nodes.pass(REMOVAL_TIME + 4 * NODE_RENEWAL_INTERVAL);
    expect(await written(newer)).toBe('[3]');
    older.process.resume();
    await nodes.pass(100);
    await expect(nodes.ask(older, 'SELECT * FROM a')).rejects.toMatchObject({ code: 'storage_format' });
    await expect(nodes.during(older.database.checkReady())).rejects.toMatchObject({ code: 'storage_format' });
    expect(older.reported.map(({ code }) => code)).toEqual(['storage_format']);
    expect(await nodes.ask(newer, 'SELECT * FROM a')).toBe('[{ id: a:1 }]');
    // It does no background work, and is no longer listed.
    await nodes.pass(REMOVAL_TIME + 4 * NODE_RENEWAL_INTERVAL);
    expect(await nodes.ask(newer, '(INFO FOR NODES).id')).toBe(`['${newer.id}']`);
    const all = "[['events', 'indexes', 'changefeeds', 'live', 'mail', 'sign-ins', 'files', 'log', 'nodes']]";
    expect(await nodes.ask(newer, '(INFO FOR NODES).work')).toBe(all);
  });
});

describe('A store whose nodes wrote a newer format', () => {
  const raised = async (engine: Engine) => {
    await withRetries(engine, (transaction) => putStoreFormat(transaction, 3));
    return engine;
  };

  test('is refused by a process that is alone with it, in memory and on disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-format-'));
    for (const engine of [new MemoryEngine(), openLmdb(folder)]) {
      await raised(engine);
      await expect(openDatabase(engine)).rejects.toMatchObject({ code: 'storage_format' });
      await engine.close();
    }
    rmSync(folder, { recursive: true });
  });
});
