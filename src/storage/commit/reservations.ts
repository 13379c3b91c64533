/** Reservations let a transaction that keeps losing to others through: commits that would conflict wait for it. */
import { invariant } from '../../base/invariant.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Timers } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import { type Key, RESERVATION_TIME, type Reservation, type Versionstamp, type WaitInterrupt } from '../contract.js';
import type { ReadSet } from '../transaction/read-set.js';
import { intersect } from '../tree/lower-bound.js';

/** A transaction that has failed: its read set, and the keys that it would have written, ascending. */
export interface FailedTransaction {
  readonly reads: ReadSet;
  readonly written: readonly Key[];
  readonly interrupt: WaitInterrupt | undefined;
}

/** A commit that asks to be admitted. */
export interface AdmissionRequest {
  readonly written: readonly Key[];
  /** It conflicts only with writers of the same keys (`BeginOptions.maintenance`). */
  readonly isMaintenance: boolean;
  /** The reservation of its transaction. */
  readonly own: KeyReservation | undefined;
  readonly interrupt: WaitInterrupt | undefined;
  /** It was interrupted while it waited. */
  abandon(): void;
}

/** The reservation of a transaction of a store with `Reservations`. */
export function ownReservation(reservation: Reservation | undefined): KeyReservation | undefined {
  if (reservation === undefined) return undefined;
  invariant(reservation instanceof KeyReservation, 'a reservation of another kind of store');
  return reservation;
}

/** Something that waits until reservations are over. */
interface Waiter {
  readonly blockers: Set<KeyReservation>;
  /** No reservation is left. */
  proceed(): void;
  fail(error: unknown): void;
}

/**
 * The reservations of a store (`Reservation`), in the order in which they were made.
 *
 * A reservation is granted when no older one overlaps with it; only then it keeps commits waiting. When one is over,
 * waiting commits run in the order in which they came, each at once, before the next reservation is granted.
 * So a commit waits only for the reservations granted before it came, which is at most
 * `RESERVATION_TIME`; and so does a reservation.
 */
export class Reservations {
  readonly #timers: Timers;
  readonly #beginWait: (() => () => void) | undefined;
  /** Granted or waiting to be, oldest first. */
  readonly #all = new Set<KeyReservation>();
  readonly #commits = new Set<Waiter>();
  readonly #claims = new Set<Waiter>();
  #made = 0;

  /** `beginWait` is called whenever something begins to wait, and the function that it returns when that ends. */
  constructor(timers: Timers, beginWait?: () => () => void) {
    this.#timers = timers;
    this.#beginWait = beginWait;
  }

  /** Whether any commit may have to wait. */
  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Runs `commit` as soon as no reservation is in its way, and at once if none is. */
  admit<T>(request: AdmissionRequest, commit: () => PromiseOrValue<T>): PromiseOrValue<T> {
    const { written, own, interrupt } = request;
    const isInTheWay = request.isMaintenance
      ? (other: KeyReservation) => other.isGranted && other.writesAny(written)
      : (other: KeyReservation) => other.isGranted && other.protects(written);
    const blockers = this.#olderThan(own, isInTheWay);
    if (blockers.size === 0) return commit();
    return this.#wait(this.#commits, { blockers, interrupt, abandon: () => request.abandon() }, commit);
  }

  /** Reserves the read set of a failed transaction, or extends its reservation, and waits until that is granted. */
  reserve(failed: FailedTransaction, own: KeyReservation | undefined): PromiseOrValue<KeyReservation> {
    if (own?.isOver) throw failure('transaction_conflict');
    const reservation = own ?? new KeyReservation(this.#made++, (over) => this.#end(over));
    reservation.note(failed);
    this.#all.add(reservation);
    const blockers = this.#olderThan(reservation, (other) => other.overlaps(reservation));
    const granted = () => {
      if (reservation.isOver) throw failure('transaction_conflict');
      if (!reservation.isGranted) reservation.grant(this.#timers.after(RESERVATION_TIME, () => reservation.release()));
      return reservation;
    };
    if (blockers.size === 0) return granted();
    const { interrupt } = failed;
    const abandon = () => reservation.release();
    return this.#wait(this.#claims, { blockers, interrupt, abandon, time: RESERVATION_TIME }, granted);
  }

  /** Adds the reservation of another node, by the order of all nodes. It is granted there. */
  addForeign(stamp: Versionstamp, failed: Pick<FailedTransaction, 'reads' | 'written'>): KeyReservation {
    const reservation = new KeyReservation(this.#made++, (over) => this.#end(over), stamp);
    reservation.note(failed);
    this.#all.add(reservation);
    reservation.grant(this.#timers.after(RESERVATION_TIME, () => reservation.release()));
    return reservation;
  }

  /** Ends all waits. */
  close(): void {
    for (const reservation of this.#all) reservation.release();
  }

  #olderThan(own: KeyReservation | undefined, isInTheWay: (other: KeyReservation) => boolean): Set<KeyReservation> {
    const found = new Set<KeyReservation>();
    for (const other of this.#all) {
      if (own !== undefined && !other.precedes(own)) continue;
      if (isInTheWay(other)) found.add(other);
    }
    return found;
  }

  #wait<T>(
    waiters: Set<Waiter>,
    { blockers, interrupt, abandon, time }: Wait,
    next: () => PromiseOrValue<T>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stops: (() => void)[] = [];
      const leave = () => {
        waiters.delete(waiter);
        for (const stop of stops.splice(0)) stop();
      };
      const waiter: Waiter = {
        blockers,
        proceed() {
          leave();
          try {
            resolve(next());
          } catch (error) {
            reject(error);
          }
        },
        fail(error) {
          leave();
          abandon();
          reject(error);
        },
      };
      waiters.add(waiter);
      if (this.#beginWait !== undefined) stops.push(this.#beginWait());
      if (time !== undefined) stops.push(this.#timers.after(time, () => waiter.fail(failure('transaction_conflict'))));
      if (interrupt === undefined) return;
      const stop = interrupt.onEnd((reason) => {
        if (waiters.has(waiter)) waiter.fail(reason);
      });
      if (waiters.has(waiter)) stops.push(stop);
      else stop();
    });
  }

  #end(over: KeyReservation): void {
    this.#all.delete(over);
    for (const waiters of [this.#commits, this.#claims]) {
      for (const waiter of waiters) {
        if (waiter.blockers.delete(over) && waiter.blockers.size === 0) waiter.proceed();
      }
    }
  }
}

interface Wait {
  readonly blockers: Set<KeyReservation>;
  readonly interrupt: WaitInterrupt | undefined;
  /** Called if it isn't granted. */
  abandon(): void;
  /** Maximum wait in milliseconds; default: as long as reservations last. */
  readonly time?: number;
}

export class KeyReservation implements Reservation {
  /** Counts reservations in the order in which they were made. */
  readonly age: number;
  readonly #ended: (reservation: KeyReservation) => void;
  /** Of each attempt. */
  readonly #reads: ReadSet[] = [];
  /** By the last attempt. */
  #written: readonly Key[] = [];
  #stop: (() => void) | undefined;
  #isOver = false;
  /** How often its transaction has failed since it was made. */
  #failures = -1;
  readonly #isForeign: boolean;
  #stamp: Versionstamp | undefined;
  #row: Key | undefined;
  #onEnd: (() => void) | undefined;

  /** `stamp`: of one of another node. */
  constructor(age: number, ended: (reservation: KeyReservation) => void, stamp?: Versionstamp) {
    this.age = age;
    this.#ended = ended;
    this.#isForeign = stamp !== undefined;
    this.#stamp = stamp;
  }

  get failures(): number {
    return this.#failures;
  }

  /** The row by which other nodes learn of it. */
  get row(): Key | undefined {
    return this.#row;
  }

  /** Its transaction has committed, and removed its row with that. */
  committed(): void {
    this.#row = undefined;
    this.release();
  }

  /** From now on other nodes know it, by a row that was written with this versionstamp. */
  publish(stamp: Versionstamp, row: Key): void {
    this.#stamp = stamp;
    this.#row = row;
  }

  /**
   * Whether it precedes another: reservations that all nodes know are in the order of the store, and precede those that
   * only this node knows.
   */
  precedes(other: KeyReservation): boolean {
    if (this.#stamp !== undefined && other.#stamp !== undefined) return this.#stamp < other.#stamp;
    if (this.#isForeign || other.#isForeign) return this.#isForeign;
    return this.age < other.age;
  }

  /** The read set and the writes of its transaction. */
  get covered(): { readonly reads: readonly ReadSet[]; readonly written: readonly Key[] } {
    return { reads: this.#reads, written: this.#written };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isGranted(): boolean {
    return this.#stop !== undefined;
  }

  note({ reads, written }: Pick<FailedTransaction, 'reads' | 'written'>): void {
    this.#failures++;
    this.#reads.push(reads);
    this.#written = written;
  }

  /** `stop` stops the timer that ends it. */
  grant(stop: () => void): void {
    this.#stop = stop;
  }

  /** Whether any of the keys, which ascend, is reserved. */
  protects(written: readonly Key[]): boolean {
    return this.#reads.some((reads) => reads.meets(written));
  }

  /** Whether its transaction wrote any of the keys, which ascend. */
  writesAny(written: readonly Key[]): boolean {
    return intersect(this.#written, written);
  }

  /** Whether one of the two would change what the other reads. */
  overlaps(other: KeyReservation): boolean {
    return this.protects(other.#written) || other.protects(this.#written);
  }

  /** Calls back when it is over. */
  onEnd(callback: () => void): void {
    this.#onEnd = callback;
  }

  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop?.();
    this.#ended(this);
    this.#onEnd?.();
  }
}
