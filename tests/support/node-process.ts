/** A process among several of a test, that may be paused, as by SIGSTOP, while time goes on for all. */
import type { Environment } from '../../src/env/environment.js';
import type { Network } from '../../src/env/network.js';
import type { StubbedEnvironment } from './environment.js';

export class NodeProcess {
  readonly environment: Environment;
  #isPaused = false;
  /** How often it still yields before it stands still. */
  #turnsLeft = Number.POSITIVE_INFINITY;
  #held: (() => void)[] = [];

  /** `ahead`: by how many nanoseconds its clock is wrong. */
  constructor(world: StubbedEnvironment, network: Network = world.network, ahead = 0n) {
    const after = (milliseconds: number, callback: () => void) =>
      world.timers.after(milliseconds, () => {
        if (this.#isPaused) this.#held.push(callback);
        else callback();
      });
    const wait = (milliseconds: number) => new Promise<void>((wake) => void after(milliseconds, wake));
    this.environment = {
      clock: { now: () => world.clock.now() + ahead, monotonic: world.clock.monotonic },
      random: world.random,
      network,
      mail: world.mail,
      heap: world.heap,
      timers: { after, wait, yield: () => this.#turn(), nextRound: () => this.#turn() },
    };
  }

  /** No timer of it fires, and nothing goes on that yields. A process that has crashed never goes on. */
  pause(): void {
    this.#isPaused = true;
  }

  /** It stands still when it has yielded so often. */
  pauseAfter(turns: number): void {
    this.#turnsLeft = turns;
  }

  resume(): void {
    this.#isPaused = false;
    this.#turnsLeft = Number.POSITIVE_INFINITY;
    for (const callback of this.#held.splice(0)) callback();
  }

  #turn(): Promise<void> {
    if (--this.#turnsLeft < 0) this.pause();
    return this.#isPaused ? new Promise((resume) => this.#held.push(resume)) : Promise.resolve();
  }
}

/** Lets time pass in small steps, and all that follows from it happen. */
export async function pass(world: StubbedEnvironment, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= STEP) {
    world.advance(Math.min(left, STEP));
    await settled();
  }
}

const STEP = 50;
/** Turns of the event loop within which a store in memory has answered what is asked one after the other. */
const TURNS = 60;

export async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resume) => setImmediate(resume));
}
