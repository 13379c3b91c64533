/**
 * Failures of power at any call by which a store on disk changes its files, and again while it is recovered: what was
 * acknowledged is there, nothing is in half, and it goes on.
 *
 * A process is traced, its calls are done on a simulated disk, and at each of some calls drawn from a seed that disk
 * fails. `POWER_FAILURES` says how many, `POWER_SEED` where to begin.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiled } from '../support/compiled.js';
import { seeded } from '../support/late-engine.js';
import type { DiskCall } from '../support/power/disk-calls.js';
import { type Acknowledged, heard, NOTHING } from '../support/power/linked-writes.js';
import { type Remains, SimulatedDisk, writeRemains } from '../support/power/simulated-disk.js';
import { faultsOfStore } from '../support/power/sound-store.js';
import { CAN_TRACE, tracedCalls } from '../support/power/traced-calls.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { atLeast } from '../support/timeouts.js';

const FAILURES = Number(process.env['POWER_FAILURES'] ?? (RUNS_ALL ? 1_000 : 60));
const SEED = Number(process.env['POWER_SEED'] ?? Number(process.hrtime.bigint() % 100_000n));
/** How many stores go on from what failures have left, and how often one fails until then. */
const STORES = 2;
const FAILURES_OF_LIFE = Math.min(60, Math.ceil(FAILURES / 3));
/** In memory, where there is such a folder: nothing has to last. */
const ROOT = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tessera-power-'));
type Random = (below: number) => number;
let child: string;

beforeAll(() => {
  child = compiled('tests/storage/power-child.ts', ROOT);
}, 60_000);
afterAll(() => rmSync(ROOT, { recursive: true }));

/** What is in the folder of a store, by names, and what was acknowledged by then. */
interface State {
  readonly remains: Remains;
  readonly acknowledged: Acknowledged;
}

it.skipIf(!CAN_TRACE).each(['alone', 'workers'] as const)(
  'loses nothing acknowledged, and no half: %s',
  {
    timeout: atLeast(3_600_000),
  },
  async (mode) => {
    console.info(`POWER_SEED=${SEED} POWER_FAILURES=${FAILURES}`);
    const random = seeded(SEED);
    let states: readonly State[] = [{ remains: new Map(), acknowledged: NOTHING }];
    for (let done = 0, generation = 0; done < FAILURES; generation++) {
      const left: State[] = [];
      for (const life of await livesFrom(mode, states, generation)) {
        for (const state of failuresIn(life, Math.min(FAILURES - done, FAILURES_OF_LIFE), random)) {
          await mustBeSound(state, `${++done} of generation ${generation}`);
          left.push(state);
        }
      }
      states = Array.from({ length: STORES }, () => left[random(left.length)] as State);
      // Not for ever from the same, whose files grow.
      if (generation % 5 === 4) states = [{ remains: new Map(), acknowledged: NOTHING }];
    }
  },
);

/** What a process did to a store: some of all its calls. */
interface Life {
  readonly at: number;
  readonly folder: string;
  readonly from: State;
  readonly calls: readonly DiskCall[];
}

async function livesFrom(mode: string, states: readonly State[], generation: number): Promise<readonly Life[]> {
  const folders = states.map((_, at) => join(ROOT, `life${generation}-${at}`));
  for (const [at, { remains }] of states.entries()) if (remains.size > 0) writeRemains(remains, folders[at] as string);
  const calls = await tracedCalls([process.execPath, child, mode, ...folders], join(ROOT, 'trace'));
  for (const folder of folders) {
    rmSync(folder, { recursive: true });
    rmSync(`${folder}-backup`, { recursive: true, force: true });
  }
  return states.map((from, at) => ({ at, folder: folders[at] as string, from, calls }));
}

/** States that failures of power amid a life may leave. */
function* failuresIn({ at, folder, from, calls }: Life, many: number, random: Random): Generator<State> {
  const own = calls.flatMap((call, index) => (call.kind !== 'say' && isIn(call.path, folder) ? [index] : []));
  const eventful = own.filter((index) => !isZeros(calls[index]) || random(20) === 0);
  const places = Array.from({ length: many }, () => eventful[random(eventful.length)] as number);
  const disk = new SimulatedDisk(from.remains.size > 0 ? folder : ROOT, inFolder(from.remains, folder));
  let acknowledged = from.acknowledged;
  for (const [index, call] of calls.entries()) {
    disk.apply(call);
    if (call.kind === 'say' && call.line.startsWith(`${at} `)) acknowledged = heard(acknowledged, call.line.slice(2));
    for (const place of places) {
      if (place !== index) continue;
      const all = random(6) === 0 ? disk.kill() : disk.fail(random);
      const own = [...all].filter(([path]) => isIn(path, folder));
      yield { remains: new Map(own.map(([path, bytes]) => [relative(folder, path), bytes])), acknowledged };
    }
  }
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
const inFolder = (remains: Remains, folder: string) =>
  new Map([...remains].map(([name, bytes]) => [join(folder, name), bytes]));
const isZeros = (call: DiskCall | undefined) => call?.kind === 'write' && call.bytes.every((byte) => byte === 0);

async function mustBeSound({ remains, acknowledged }: State, which: string): Promise<void> {
  const folder = join(ROOT, 'state');
  writeRemains(remains, folder);
  expect(await faultsOfStore(folder, acknowledged), `${which}, POWER_SEED=${SEED}`).toEqual([]);
  rmSync(folder, { recursive: true });
}
