/**
 * Failures of power at any call by which a store on disk changes its files, and again while it is recovered: what was
 * acknowledged is there, nothing is in half, and it goes on.
 *
 * A process is traced, its calls are done on a simulated disk, and at some of them, drawn from a seed, that disk fails.
 * `POWER_FAILURES` says how often, `POWER_SEED` what is drawn; a state that isn't sound is kept.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seeded } from '../support/late-engine.js';
import { type DiskCall, later } from '../support/power/disk-calls.js';
import { type Acknowledged, heard, NOTHING } from '../support/power/linked-writes.js';
import { type Remains, SimulatedDisk, writeRemains } from '../support/power/simulated-disk.js';
import { faultsOfStore } from '../support/power/sound-store.js';
import { CAN_TRACE, tracedCalls } from '../support/power/traced-calls.js';
import { writerPlace } from '../support/power/writer-place.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { atLeast } from '../support/timeouts.js';

const FAILURES = Number(process.env['POWER_FAILURES'] ?? (RUNS_ALL ? 1_000 : 60));
const SEED = Number(process.env['POWER_SEED'] ?? Number(process.hrtime.bigint() % 100_000n));
/** How often one store fails until it goes on from what one of the failures has left. */
const FAILURES_OF_LIFE = Math.min(100, Math.ceil(FAILURES / 3));
/** After so many lives there is a new store, since files grow. */
const LIVES = 5;
/** So many calls are soon after another one. */
const SOON = 60;
const PLACE = writerPlace('power');
const { folder: FOLDER, copy: COPY, root: ROOT } = PLACE;
type Random = (below: number) => number;

/** Where a store goes on. */
interface State {
  /** What the last failure of power has left. */
  readonly flushed: Remains;
  /** What was done since then, if only the process was killed: a part of it may not be on the disk yet. */
  readonly done: readonly DiskCall[];
  /** What a process finds. */
  readonly remains: Remains;
  readonly acknowledged: Acknowledged;
}

const NEW_STORE: State = { flushed: new Map(), done: [], remains: new Map(), acknowledged: NOTHING };

describe.skipIf(!CAN_TRACE)('a failure of power, or a kill,', () => {
  it.each(['alone', 'workers'] as const)(
    'loses nothing that was acknowledged, and leaves no commit in half: %s',
    {
      timeout: atLeast(7_200_000),
    },
    async (mode) => {
      console.info(`POWER_SEED=${SEED} POWER_FAILURES=${FAILURES}`);
      const random = seeded(SEED);
      let state = NEW_STORE;
      for (let failures = 0, life = 1; failures < FAILURES; life++) {
        const left: State[] = [];
        const calls = await callsOf(mode, state);
        for (const next of failuresIn(state, calls, Math.min(FAILURES - failures, FAILURES_OF_LIFE), random)) {
          await mustBeSound(next, `${++failures}, in life ${life}`);
          left.push(next);
        }
        const killed = left.filter(({ done }) => done.length > 0);
        const choice = killed.length > 0 && random(2) === 0 ? killed : left;
        state = life % LIVES === 0 ? NEW_STORE : (choice[random(choice.length)] as State);
      }
    },
  );
});

/** What was done to a store since the last failure of power, with what a process does that goes on. */
async function callsOf(mode: string, { remains, done }: State): Promise<readonly DiskCall[]> {
  if (remains.size > 0) writeRemains(remains, FOLDER);
  const calls = await tracedCalls([process.execPath, PLACE.child, mode, FOLDER], join(ROOT, 'trace'));
  for (const folder of [FOLDER, `${FOLDER}-backup`]) rmSync(folder, { recursive: true, force: true });
  return [...done, ...calls.map((call) => later(call, done.length))];
}

/** States that failures may leave, after calls that are drawn. */
function* failuresIn(
  { flushed, done, acknowledged }: State,
  calls: readonly DiskCall[],
  many: number,
  random: Random,
): Generator<State> {
  const isEvent = (call: DiskCall, index: number) =>
    index >= done.length && call.kind !== 'say' && isOwn(call.path) && (!isZeros(call) || random(20) === 0);
  const events = calls.flatMap((call, index) => (isEvent(call, index) ? [index] : []));
  // Soon after the first answer, what was recovered is on its way into the tree.
  const answer = calls.findIndex(({ kind }, index) => index >= done.length && kind === 'say');
  const soon = events.filter((index) => index > answer).slice(0, SOON);
  // By a record of the log or a meta page of the tree a commit is done: a restart sees it, though it isn't flushed yet.
  const commits = events.filter((index) => isShort(calls[index]));
  const drawn = (among: readonly number[]) =>
    (among.length > 0 ? among : events)[random(among.length || events.length)];
  const strikes = Array.from({ length: many }, () => {
    const isKill = random(5) === 0;
    return { isKill, place: drawn(isKill ? commits : random(3) === 0 ? soon : events) };
  });
  const disk = new SimulatedDisk(flushed.size > 0 ? FOLDER : ROOT, flushed);
  let known = acknowledged;
  for (const [index, call] of calls.entries()) {
    disk.apply(call);
    if (call.kind === 'say' && index >= done.length) known = heard(known, call.line);
    for (const { isKill, place } of strikes) {
      if (place !== index) continue;
      const remains = new Map([...(isKill ? disk.kill() : disk.fail(random))].filter(([path]) => isOwn(path)));
      if (isKill) yield { flushed, done: calls.slice(0, index + 1), remains, acknowledged: known };
      else yield { flushed: remains, done: [], remains, acknowledged: known };
    }
  }
}

const isOwn = (path: string) => path === FOLDER || path.startsWith(`${FOLDER}/`);
const isZeros = (call: DiskCall) => call.kind === 'write' && call.bytes.every((byte) => byte === 0);
const isShort = (call: DiskCall | undefined) => call?.kind === 'write' && call.bytes.length < 4_096;

async function mustBeSound({ remains, acknowledged }: State, which: string): Promise<void> {
  writeRemains(remains, COPY);
  const faults = await faultsOfStore(COPY, acknowledged);
  if (faults.length > 0) {
    // The threads of a process run differently the next time; this is the state as it was found.
    const kept = mkdtempSync(join(tmpdir(), 'tessera-power-failure-'));
    writeRemains(remains, kept);
    expect(faults, `failure ${which}, POWER_SEED=${SEED}, kept in ${kept}`).toEqual([]);
  }
  rmSync(COPY, { recursive: true });
}
