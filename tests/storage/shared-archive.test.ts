/** The archive of a store that several processes write to: what one leaves that is killed, and who goes on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { archivedGroups, lastSegment, segmentPath } from '../../src/storage/archive/read-archive.js';
import { SharedArchive } from '../../src/storage/archive/shared-archive.js';
import { createBackup } from '../../src/storage/backup/create-backup.js';
import { FolderBlobs } from '../../src/storage/backup/folder-blobs.js';
import { openBackup } from '../../src/storage/backup/read-backup.js';
import { restoreStore } from '../../src/storage/backup/restore-store.js';
import type { Entry } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { openArchivedLmdb } from '../../src/storage/lmdb/engine/open-archived.js';
import { packChanges } from '../../src/storage/lmdb/file/packed-changes.js';
import { openSharedLmdb, shareFolder } from '../../src/storage/lmdb/shared/open.js';
import { withRetries } from '../../src/storage/retry.js';
import { compiled } from '../support/compiled.js';
import { patientTimers } from '../support/patient-timers.js';
import { atLeast } from '../support/timeouts.js';

const ROOT = mkdtempSync(join(tmpdir(), 'tessera-shared-archive-'));
const STORE = 'ab'.repeat(16);
let round = 0;
let archive: string;
let now: number;
let elapsed: number;
beforeEach(() => {
  archive = join(ROOT, `archive${++round}`);
  mkdirSync(archive);
  now = 1_000;
  elapsed = 0;
});
afterAll(() => rmSync(ROOT, { recursive: true }));

describe('the writers of a shared archive', () => {
  const clock = { now: () => BigInt(now) * 1_000_000n, monotonic: () => elapsed };
  const process = () => new SharedArchive({ folder: archive, store: STORE }, clock);
  const write = (writer: SharedArchive, version: number, text: string) =>
    writer.write([{ key: 'text', bytes: Buffer.from(text) }], version, BigInt(version));
  const packed = (text: string) => packChanges([{ key: 'text', bytes: Buffer.from(text) }], 0).bytes;

  /** The versions and texts that a restore would see, and the times of the groups. */
  async function archived(): Promise<{ texts: readonly string[]; times: readonly number[] }> {
    const texts: string[] = [];
    const times: number[] = [];
    for await (const { version, time, changes } of archivedGroups(archive, {
      store: STORE,
      after: 0,
      until: undefined,
    })) {
      texts.push(`${version} ${changes.map(({ bytes }) => String(bytes)).join()}`);
      times.push(time);
    }
    return { texts, times };
  }

  it('append to one segment in turn', async () => {
    const [one, other] = [process(), process()];
    write(one, 1, 'a');
    write(other, 2, 'b');
    write(other, 3, 'c');
    other.add(packed('d'), 3);
    other.add(packed('e'), 3);
    other.end(4, 4n);
    write(one, 5, 'f');
    expect((await archived()).texts).toEqual(['1 a', '2 b', '3 c', '4 d,e', '5 f']);
    expect(lastSegment(archive)).toBe(1);
  });

  it.each([
    ['a group that the store never got', (writer: SharedArchive) => write(writer, 3, 'lost')],
    [
      'a part of a group',
      (writer: SharedArchive) => {
        writer.add(packed('lost'), 2);
        writer.add(packed('lost as well'), 2);
      },
    ],
    ['a part of a record', () => appendFileSync(segmentPath(archive, 1), 'half of a record')],
    ['a segment without a header', () => writeFileSync(segmentPath(archive, 2), 'TESS')],
  ])('pass over %s, which one has left that was killed', async (_, leave) => {
    const [killed, other, third] = [process(), process(), process()];
    write(killed, 1, 'a');
    write(other, 2, 'b');
    leave(killed);
    write(other, 3, 'c');
    write(third, 4, 'd');
    write(other, 5, 'e');
    expect((await archived()).texts).toEqual(['1 a', '2 b', '3 c', '4 d', '5 e']);
  });

  it('begin a segment when that is due, and all of them go on there', async () => {
    const [one, other] = [process(), process()];
    write(one, 1, 'a');
    write(other, 2, 'b');
    elapsed = 10 * 60_000;
    write(other, 3, 'c');
    write(one, 4, 'd');
    expect(lastSegment(archive)).toBe(2);
    expect((await archived()).texts).toEqual(['1 a', '2 b', '3 c', '4 d']);
  });

  it('let times ascend, whatever their clocks do', async () => {
    const [one, other] = [process(), process()];
    write(one, 1, 'a');
    now = 500;
    write(other, 2, 'b');
    elapsed = 10 * 60_000;
    write(one, 3, 'c');
    now = 2_000;
    write(other, 4, 'd');
    expect((await archived()).times).toEqual([1_000, 1_000, 1_000, 2_000]);
  });
});

describe('a store that several processes write to and archive', () => {
  let child: string;
  beforeAll(() => {
    child = compiled('tests/storage/shared-lmdb-child.ts', ROOT);
  }, 60_000);

  async function contentOf(folder: string): Promise<readonly Entry[]> {
    const engine = openLmdb(folder, { readOnly: true });
    const transaction = engine.begin({ writable: false });
    const all: Entry[] = [];
    const cursor = transaction.scan({ from: '', to: '\xff'.repeat(2_000) });
    for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) all.push(...batch);
    transaction.cancel();
    await engine.close();
    return all;
  }

  it('is restored to just what it holds, although processes were killed as they wrote', {
    timeout: atLeast(120_000),
  }, async () => {
    const [data, backup, restored] = ['data', 'backup', 'restored'].map((name) => join(ROOT, name + round)) as [
      string,
      string,
      string,
    ];
    const first = await openArchivedLmdb(data, archive, {});
    await withRetries(first, (transaction) => transaction.put('first', true));
    await first.close();
    await createBackup(data, new FolderBlobs(backup));
    const unlock = await shareFolder(data, { archive });
    // Without the compiled file of the thread, this process writes in its event loop.
    const engine = openSharedLmdb(data, { owner: process.pid, size: 3 }, { timers: patientTimers, archive });
    const acknowledged = new Map<string, number>();
    const start = (mode: string, name: string, onLine: (line: string) => void) => {
      const started = spawn(process.execPath, [child, data, String(process.pid), mode, name, '0', archive]);
      createInterface({ input: started.stdout }).on('line', onLine);
      started.stderr.on('data', (text) => onLine(`error ${text}`));
      return started;
    };
    let own = 0;
    for (const commits of [1, 7, 40, 90]) {
      const names = ['one', 'other', 'many'].map((name) => `${name}${commits}`);
      let lines = 0;
      await new Promise<void>((done, failed) => {
        const children = names.map((name) =>
          start(name.startsWith('many') ? 'large' : 'commit', name, (line) => {
            const [from = '', number = ''] = line.split(' ');
            if (from === 'error') failed(new Error(line));
            if (from !== 'begin' && from !== 'end') acknowledged.set(from, Number(number));
            if (++lines !== commits) return;
            const ends = children.map((each) => once(each, 'close'));
            for (const each of children) each.kill('SIGKILL');
            Promise.all(ends).then(() => done(), failed);
          }),
        );
        void (async () => {
          while (lines < commits) await withRetries(engine, (transaction) => transaction.put('own', ++own));
        })().catch(failed);
      });
    }
    await withRetries(engine, (transaction) => transaction.put('own', ++own));
    await engine.close();
    await unlock();
    await restoreStore(await openBackup(new FolderBlobs(backup)), restored, {
      archive: { folder: archive, until: undefined },
      finish: async () => undefined,
      progress: () => undefined,
      replayed: () => undefined,
    });
    const content = await contentOf(restored);
    expect(content).toEqual(await contentOf(data));
    const values = new Map(content);
    expect(values.get('own')).toBe(own);
    expect(acknowledged.size).toBeGreaterThan(2);
    for (const [name, number] of acknowledged) expect(values.get(`last/${name}`)).toBeGreaterThanOrEqual(number);
  });
});
