import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { compiled } from '../support/compiled.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'tessera-crash-'));
let child: string;

/** Starts the child and passes each line it prints to `onLine`. */
function start(data: string, mode: string, onLine: (line: string) => void): ChildProcessWithoutNullStreams {
  const started = spawn(process.execPath, [child, data, mode]);
  createInterface({ input: started.stdout }).on('line', onLine);
  started.stderr.on('data', (text) => onLine(`error ${text}`));
  return started;
}

async function killed(child: ChildProcessWithoutNullStreams): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

describe('LMDB and the death of its process', () => {
  let data: string;
  let round = 0;

  beforeAll(() => {
    child = compiled('tests/storage/crash-child.ts', FOLDER);
  });
  beforeEach(() => {
    data = join(FOLDER, `data${++round}`);
  });
  afterAll(() => rmSync(FOLDER, { recursive: true }));

  it('keeps every acknowledged commit whole, and nothing of the others', async () => {
    const acknowledged = new Map<string, number>();
    for (const commits of [1, 40, 200]) {
      await new Promise<void>((done, failed) => {
        let heard = 0;
        const child = start(data, 'commit', (line) => {
          const [name = '', number = ''] = line.split(' ');
          if (name === 'error') failed(new Error(line));
          acknowledged.set(name, Number(number));
          if (++heard === commits) killed(child).then(done, failed);
        });
      });
      const engine = openLmdb(data);
      const transaction = engine.begin({ writable: false });
      for (const [name, number] of acknowledged) {
        const last = transaction.get(`last/${name}`) as number;
        expect(last).toBeGreaterThanOrEqual(number);
        for (const side of ['left', 'right']) {
          expect(transaction.count({ from: `${side}/${name}/`, to: `${side}/${name}0` })).toBe(last);
        }
        for (let each = 1; each <= last; each++) {
          expect(transaction.get(`left/${name}/${each}`)).toBe('x'.repeat(each % 5_000));
          expect(transaction.get(`right/${name}/${each}`)).toBe(each);
        }
      }
      transaction.cancel();
      await engine.close();
    }
  });

  it('keeps large commits, which a thread writes, whole or not at all', async () => {
    const stages = ['begin 3', 'changes 3', 'commit 3', 'answer 3', 'changes 4'];
    for (const [round, stage] of stages.entries()) {
      const folder = `${data}-${round}`;
      let acknowledged = 0;
      let threads = 0;
      await new Promise<void>((done, failed) => {
        const child = start(folder, 'large', (line) => {
          const [what, number] = line.split(' ');
          if (what === 'error') failed(new Error(line));
          if (what === 'thread') threads++;
          if (what === 'end') acknowledged = Number(number);
          if (line === stage) killed(child).then(done, failed);
        });
      });
      expect(threads).toBe(1);
      const engine = openLmdb(folder);
      const transaction = engine.begin({ writable: false });
      const last = transaction.get('many/0') as number;
      expect(last).toBeGreaterThanOrEqual(acknowledged);
      expect(transaction.count({ from: 'many/', to: 'many0' })).toBe(10_000);
      for (let at = 0; at < 10_000; at++) expect(transaction.get(`many/${at}`)).toBe(last);
      transaction.cancel();
      await engine.close();
    }
  });

  it('forgets what was put and not committed, and frees the folder', async () => {
    const child = await new Promise<ChildProcessWithoutNullStreams>((resolved, failed) => {
      const started = start(data, 'put', (line) => (line === 'put' ? resolved(started) : failed(new Error(line))));
    });
    expect(() => openLmdb(data)).toThrow(expect.objectContaining({ code: 'storage_in_use' }));
    await killed(child);
    const engine = openLmdb(data);
    expect(engine.begin({ writable: false }).get('uncommitted')).toBeUndefined();
    await engine.close();
  });
});
