/** Runs every script of this folder on every engine. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/session/database.js';
import { openEngine } from '../../src/storage/engines/open.js';
import { optionsOf, runScript } from './script.js';

const FOLDER = 'tests/scripts';
const scripts = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.surql'));

async function onEngine<T>(kind: 'memory' | 'lmdb', work: (address: string) => Promise<T>): Promise<T> {
  if (kind === 'memory') return work('memory');
  const folder = mkdtempSync(join(tmpdir(), 'tessera-script-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.each(['memory', 'lmdb'] as const)('on %s', (kind) => {
  test.each(scripts)('%s', async (name) => {
    await onEngine(kind, async (address) => {
      // On disk every value is encoded and decoded on its way, which is the second of the two things that this proves.
      const source = readFileSync(join(FOLDER, name), 'utf8');
      const database = await openDatabase(await openEngine(address, { sync: 'never' }), optionsOf(source));
      const differences = await runScript(database, source);
      await database.close();
      expect(differences).toEqual([]);
    });
  });
});
