/**
 * Failures of power amid puts, copies, renames, deletions and uploads, of files in the store and in a folder: every file
 * is whole, nothing acknowledged is lost, and no bytes are left that nothing would delete. `FILE_POWER_FAILURES` says
 * how many, `FILE_POWER_SEED` which.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFilesCheck } from '../../src/cli/files.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { compiled } from '../support/compiled.js';
import { seeded } from '../support/late-engine.js';
import { type Kept, keptFiles, openFiles } from '../support/power/file-writes.js';
import { type Remains, SimulatedDisk } from '../support/power/simulated-disk.js';
import { CAN_TRACE, tracedCalls } from '../support/power/traced-calls.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { TextSink } from '../support/text-sink.js';
import { atLeast } from '../support/timeouts.js';

const FAILURES = Number(process.env['FILE_POWER_FAILURES'] ?? (RUNS_ALL ? 200 : 15));
const SEED = Number(process.env['FILE_POWER_SEED'] ?? Number(process.hrtime.bigint() % 100_000n));
const FAILURES_OF_LIFE = 25;
/** Changes of a writer in one life. */
const ROUNDS = 6;

const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tessera-file-power-'));
const folder = join(root, 'site');
let child = '';
beforeAll(() => {
  child = compiled('tests/files/power-child.ts', root);
}, 120_000);
afterAll(() => rmSync(root, { recursive: true }));

/** What the files of a writer are, or become. */
type Known = ReadonlyMap<string, readonly Kept[]>;

function heard(known: Known, line: string): Known {
  const [bucket = '', prefix = '', how = '', x = '', y = ''] = line.split(' ');
  const writer = `${bucket} ${prefix}`;
  const next: Kept = [Number(x), Number(y)];
  const before = how === 'has' ? [] : (known.get(writer) ?? []).slice(0, 1);
  return new Map([...known, [writer, [...before, next]]]);
}

function restore(remains: Remains): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [path, bytes] of remains) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
}

async function mustBeSound(known: Known, what: string): Promise<void> {
  const data = join(folder, 'store');
  if (!existsSync(join(data, 'data.mdb'))) {
    expect([...known.values()], what).toEqual([]);
    return;
  }
  const output = new TextSink();
  await runFilesCheck(data, { allowBucketFolders: folder }, output);
  expect(output.text, what).toMatch(/^\d buckets?, all of them sound\n$/);
  const { database, session } = await openFiles(openLmdb(data), folder);
  for (const [writer, states] of known) {
    const [bucket = '', prefix = ''] = writer.split(' ');
    expect(states, `${what}: ${writer}`).toContainEqual(await keptFiles(session, bucket, prefix));
  }
  await database.close();
}

describe.skipIf(!CAN_TRACE)('a failure of power', () => {
  it('loses no file, leaves none in half, and no bytes behind', {
    timeout: atLeast(60_000 + FAILURES * 10_000),
  }, async () => {
    const what = `FILE_POWER_SEED=${SEED} FILE_POWER_FAILURES=${FAILURES}`;
    console.info(what);
    const random = seeded(SEED);
    let remains: Remains = new Map();
    for (let failures = 0, first = 0; failures < FAILURES; first += ROUNDS * 10) {
      restore(remains);
      const calls = await tracedCalls([process.execPath, child, folder, `${ROUNDS}`, `${first}`], join(root, 'trace'));
      const many = Math.min(FAILURES - failures, FAILURES_OF_LIFE);
      const places = new Set(Array.from({ length: many }, () => random(calls.length)));
      const disk = new SimulatedDisk(folder, remains);
      let known: Known = new Map();
      const left: Remains[] = [];
      for (const [index, call] of calls.entries()) {
        disk.apply(call);
        if (call.kind === 'say') known = heard(known, call.line);
        if (!places.has(index)) continue;
        const next = disk.fail(random);
        restore(next);
        await mustBeSound(known, `${what}, failure ${++failures}`);
        left.push(next);
      }
      failures += many - places.size;
      remains = left[random(left.length)] as Remains;
    }
  });
});
