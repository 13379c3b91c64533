/**
 * Processes that are killed at a call of the system by which they change a store on disk, those of LMDB's library among
 * them, again and again on what the kill before has left: by themselves, while a backup is taken, and as workers of
 * which one is killed. `CALL_KILLS` says how many, `CALL_KILLS_SEED` which.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiled } from '../support/compiled.js';
import { seeded } from '../support/late-engine.js';
import { killedAtCall } from '../support/power/killed-at-call.js';
import { type Acknowledged, heard, NOTHING } from '../support/power/linked-writes.js';
import { faultsOfStore } from '../support/power/sound-store.js';
import { CAN_TRACE } from '../support/power/traced-calls.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { atLeast } from '../support/timeouts.js';

const KILLS = Number(process.env['CALL_KILLS'] ?? (RUNS_ALL ? 60 : 3));
const SEED = Number(process.env['CALL_KILLS_SEED'] ?? Number(process.hrtime.bigint() % 100_000n));
/** After so many kills a store begins anew. */
const KILLS_OF_STORE = 10;
const ROOT = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tessera-call-kills-'));
let child: string;

beforeAll(() => {
  child = compiled('tests/storage/power-child.ts', ROOT);
}, 60_000);
afterAll(() => rmSync(ROOT, { recursive: true }));

it.skipIf(!CAN_TRACE).each(['alone', 'workers'] as const)(
  'loses nothing acknowledged, and no half: %s',
  {
    timeout: atLeast(3_600_000),
  },
  async (mode) => {
    console.info(`CALL_KILLS_SEED=${SEED} CALL_KILLS=${KILLS}`);
    const random = seeded(SEED);
    const folder = join(ROOT, mode);
    const copy = join(ROOT, 'copy');
    let acknowledged: Acknowledged = NOTHING;
    for (let kills = 0; kills < KILLS; ) {
      const { call, isKilled, lines } = await killedAtCall([process.execPath, child, mode, folder], random);
      for (const line of lines) acknowledged = heard(acknowledged, line);
      if (isKilled) kills++;
      if (existsSync(folder)) {
        // The next one finds the folder as it was left.
        cpSync(folder, copy, { recursive: true });
        expect(await faultsOfStore(copy, acknowledged), `kill ${kills}, ${call}, CALL_KILLS_SEED=${SEED}`).toEqual([]);
        rmSync(copy, { recursive: true });
      }
      rmSync(`${folder}-backup`, { recursive: true, force: true });
      if (kills % KILLS_OF_STORE > 0) continue;
      rmSync(folder, { recursive: true, force: true });
      acknowledged = NOTHING;
    }
  },
);
