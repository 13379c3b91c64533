import type { Clock, Timers } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import { type AfterCommit, callAll } from '../after-commit.js';
import type { BeginOptions, Engine, Key, Reservation, Transaction, Versionstamp } from '../contract.js';
import type { ReadSet } from '../read-set.js';
import { type KeyReservation, ownReservation, Reservations } from '../reservations.js';
import { GroupCommitter } from './group-committer.js';
import type { CommitRequest, RemoteStore } from './store.js';
import { type RemoteCommitter, RemoteTransaction } from './transaction.js';

export interface RemoteEnvironment {
  readonly clock: Clock;
  readonly timers: Timers;
}

/** The engine of stores over a network. */
export class RemoteEngine implements Engine {
  readonly name: string;
  readonly #store: RemoteStore;
  readonly #clock: Clock;
  readonly #committer: GroupCommitter;
  readonly #reservations: Reservations;
  #lastStamp: Versionstamp = 0n;
  #changedAt: bigint;
  #closed = false;

  constructor(store: RemoteStore, { clock, timers }: RemoteEnvironment) {
    this.name = store.name;
    this.#store = store;
    this.#clock = clock;
    this.#committer = new GroupCommitter(store);
    this.#reservations = new Reservations(timers);
    this.#changedAt = clock.now();
  }

  get changedAt(): bigint {
    return this.#changedAt;
  }

  begin(options: BeginOptions): Transaction {
    this.#mustBeOpen();
    const snapshot = this.#store.snapshot();
    return options.writable
      ? new RemoteTransaction(snapshot, this.#committerFor(options), options.memory)
      : new RemoteTransaction(snapshot);
  }

  async check(): Promise<void> {
    this.#mustBeOpen();
    await this.#store.check();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#reservations.close();
    await this.#committer.close();
    await this.#store.close();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw failure('storage_unavailable', { reason: 'it has been closed' });
  }

  #committerFor({ reservation, interrupt }: BeginOptions): RemoteCommitter {
    const own: KeyReservation | undefined = ownReservation(reservation);
    return {
      maxKeyLength: this.#store.maxKeyLength,
      lastStamp: () => this.#lastStamp,
      commit: (request, afterCommit) => {
        const written = writtenKeys(request);
        const commit = () => this.#commit(request, own, afterCommit);
        if (this.#reservations.isEmpty) return commit();
        return this.#reservations.admit({ written, own, interrupt, abandon: () => undefined }, commit);
      },
      reserve: (reads: ReadSet, written: readonly Key[]) =>
        this.#reservations.reserve({ reads, written, interrupt }, own) as Promise<Reservation> | Reservation,
    };
  }

  async #commit(
    request: CommitRequest,
    own: KeyReservation | undefined,
    afterCommit: AfterCommit | undefined,
  ): Promise<void> {
    this.#mustBeOpen();
    await this.#committer.submit(request, (stamp) => {
      if (stamp > this.#lastStamp) this.#lastStamp = stamp;
      this.#changedAt = this.#clock.now();
      callAll(afterCommit, this.#lastStamp);
    });
    own?.release();
  }
}

function writtenKeys({ changes, appended }: CommitRequest): readonly Key[] {
  return [...changes.map(([key]) => key), ...appended.map(({ prefix }) => prefix)].sort();
}
