import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLmdb } from '../../src/storage/engines/lmdb.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'tessera-crash-'));
const CHILD = join(FOLDER, 'code', 'tests', 'storage', 'crash-child.js');

/** Starts the child and hands each line it prints to `heard`. */
function start(data: string, mode: string, heard: (line: string) => void): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [CHILD, data, mode]);
  createInterface({ input: child.stdout }).on('line', heard);
  child.stderr.on('data', (text) => heard(`error ${text}`));
  return child;
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
    const compiler = resolve('node_modules/typescript/bin/tsc');
    const options = '--ignoreConfig --noCheck --module nodenext --target es2023 --types node --rootDir .'.split(' ');
    execFileSync(process.execPath, [
      compiler,
      ...options,
      '--outDir',
      join(FOLDER, 'code'),
      'tests/storage/crash-child.ts',
    ]);
    writeFileSync(join(FOLDER, 'package.json'), '{"type":"module"}');
    symlinkSync(resolve('node_modules'), join(FOLDER, 'node_modules'), 'junction');
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
