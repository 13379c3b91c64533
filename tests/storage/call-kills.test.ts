/**
 * Processes that are killed at a call of the system by which they change a store on disk, those of LMDB's library among
 * them, again and again on what the kill before has left: by themselves, while a backup is taken, and as workers of
 * which one is killed. `CALL_KILLS` says how many, `CALL_KILLS_SEED` which.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { shareFolder } from '../../src/storage/lmdb/shared/open.js';
import { seeded } from '../support/late-engine.js';
import { type CallsToKillAt, type Killed, killedAtCall } from '../support/power/killed-at-call.js';
import { type Acknowledged, heard, NOTHING } from '../support/power/linked-writes.js';
import { faultsOfStore } from '../support/power/sound-store.js';
import { CAN_TRACE } from '../support/power/traced-calls.js';
import { writerPlace } from '../support/power/writer-place.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { atLeast } from '../support/timeouts.js';

const KILLS = Number(process.env['CALL_KILLS'] ?? (RUNS_ALL ? 60 : 3));
const SEED = Number(process.env['CALL_KILLS_SEED'] ?? Number(process.hrtime.bigint() % 100_000n));
/** After so many kills there is a new store. */
const KILLS_OF_STORE = 10;
const PLACE = writerPlace('call-kills');
const { folder: FOLDER, copy: COPY } = PLACE;
type Random = (below: number) => number;

const ALONE: readonly CallsToKillAt[] = [
  { names: 'fdatasync', most: 9 },
  { names: 'pwrite64,writev', most: 40 },
  { names: 'fsync,link,unlink', most: 24 },
  { names: 'write', most: 1_300 },
];
const WORKER: readonly CallsToKillAt[] = [
  { names: 'fdatasync', most: 7 },
  { names: 'pwrite64', most: 12 },
  { names: 'write', most: 200 },
];

describe.skipIf(!CAN_TRACE)('a kill at a call of the system', () => {
  it('loses nothing that was acknowledged, and leaves no commit in half', { timeout: atLeast(3_600_000) }, async () => {
    const node = [process.execPath, PLACE.child, 'alone', FOLDER];
    await afterEachKill((random) => killedAtCall(node, ALONE, random));
  });

  it('of a worker is no matter to the others', { timeout: atLeast(3_600_000) }, async () => {
    const node = (writer: string) => [process.execPath, PLACE.child, 'worker', FOLDER, String(process.pid), writer];
    await afterEachKill(async (random) => {
      await openLmdb(FOLDER).close();
      const unlock = await shareFolder(FOLDER);
      const other = promisify(execFile)(process.execPath, node('a').slice(1));
      const [killed, { stdout }] = await Promise.all([killedAtCall(node('b'), WORKER, random), other]);
      await unlock();
      return { ...killed, lines: [...killed.lines, ...stdout.trim().split('\n')] };
    });
  });
});

/** Verifies a store after each kill of those that use it, which go on from there. */
async function afterEachKill(run: (random: Random) => Promise<Killed>): Promise<void> {
  console.info(`CALL_KILLS_SEED=${SEED} CALL_KILLS=${KILLS}`);
  const random = seeded(SEED);
  let acknowledged: Acknowledged = NOTHING;
  for (let kills = 0; kills < KILLS; ) {
    const { call, isKilled, lines } = await run(random);
    for (const line of lines) acknowledged = heard(acknowledged, line);
    if (isKilled) kills++;
    if (existsSync(FOLDER)) {
      // The next one finds the folder as it was left.
      cpSync(FOLDER, COPY, { recursive: true });
      expect(await faultsOfStore(COPY, acknowledged), `kill ${kills}, ${call}, CALL_KILLS_SEED=${SEED}`).toEqual([]);
      rmSync(COPY, { recursive: true });
    }
    rmSync(`${FOLDER}-backup`, { recursive: true, force: true });
    if (kills % KILLS_OF_STORE > 0) continue;
    rmSync(FOLDER, { recursive: true, force: true });
    acknowledged = NOTHING;
  }
}
