/**
 * Background work in rounds, one at a time. If several nodes use the store, it runs on the node that holds the lease on
 * it.
 */
import type { Environment, Timers } from '../../env/environment.js';
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { BackgroundMetrics, RoundMeter } from '../../metrics/background-metrics.js';
import type { Engine } from '../../storage/contract.js';
import { type DatabaseLeases, type Lease, LeaseLost } from './lease.js';

/** Milliseconds from `wake` to the next round, so that one round does the work of several commits. */
const SOON = 10;

export interface RoundOptions {
  /** Milliseconds between two rounds without `wake`, for work that was left over or has failed. */
  readonly interval: number;
  /** Whether the first round comes soon, for what was queued before a shutdown or crash; else after an interval. */
  readonly startsSoon: boolean;
  /** Absent where no other node uses the store. */
  readonly lease?: Lease | DatabaseLeases | undefined;
  /** Absent where nothing is counted. */
  readonly measure?: RoundMeter | undefined;
}

/** What background work needs. */
export interface BackgroundServices {
  readonly engine: Engine;
  readonly environment: Environment;
  /** Absent where no other node uses the store. */
  readonly leases: DatabaseLeases | undefined;
  /** How its rounds are counted; absent where nothing is counted. */
  readonly measure?: RoundMeter | undefined;
  /** Absent where nothing is counted. */
  readonly metrics?: BackgroundMetrics | undefined;
  report(error: TesseraError): void;
}

export class BackgroundRounds {
  readonly #timers: Timers;
  readonly #round: () => Promise<void>;
  readonly #interval: number;
  readonly #report: (error: TesseraError) => void;
  readonly #lease: Lease | DatabaseLeases | undefined;
  readonly #clock: Environment['clock'];
  readonly #measure: RoundMeter | undefined;
  #cancel: () => void = () => undefined;
  #isWoken = false;
  #running: Promise<void> | undefined;
  #isStopped = false;

  /** `report` gets the error of a round that fails; the next round follows all the same. */
  constructor(
    { timers, clock }: Pick<Environment, 'timers' | 'clock'>,
    round: () => Promise<void>,
    report: (error: TesseraError) => void,
    { interval, startsSoon, lease, measure }: RoundOptions,
  ) {
    this.#timers = timers;
    this.#clock = clock;
    this.#measure = measure;
    this.#round = round;
    this.#interval = interval;
    this.#report = report;
    this.#lease = lease;
    lease?.onGranted(() => this.wake());
    this.#wait(startsSoon ? SOON : interval);
  }

  /** A running round should end as soon as it can, and may leave the rest. */
  get mustEnd(): boolean {
    return this.#isStopped || this.#lease?.isHeld === false;
  }

  /** A commit has queued something: a round begins soon, or follows the running one. */
  wake(): void {
    if (this.#isWoken || this.#isStopped) return;
    this.#isWoken = true;
    if (this.#running !== undefined) return;
    this.#cancel();
    this.#wait(SOON);
  }

  /** No further round begins; resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  /** Reports an error, unless closing or the loss of the lease has caused it. */
  fail(error: unknown): void {
    if (!this.#isStopped && !(error instanceof LeaseLost)) this.#report(asTesseraError(error));
  }

  #wait(milliseconds: number): void {
    this.#cancel = this.#timers.after(milliseconds, () => {
      this.#isWoken = false;
      if (this.#lease?.isHeld === false) {
        this.#wait(this.#interval);
        return;
      }
      const began = this.#clock.monotonic();
      const ended = (outcome: 'ok' | 'failed') => this.#measure?.(outcome, this.#clock.monotonic() - began);
      this.#running = this.#round()
        .then(
          () => ended('ok'),
          (error: unknown) => {
            ended('failed');
            this.fail(error);
          },
        )
        .finally(() => {
          this.#running = undefined;
          if (!this.#isStopped) this.#wait(this.#isWoken ? SOON : this.#interval);
        });
    });
  }
}
