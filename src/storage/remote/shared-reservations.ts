/**
 * Reservations among nodes. One that keeps the writers of its own node waiting, and whose transaction conflicts all the
 * same, is written to the store: other nodes follow the commits, and hold back their writers as well. The order of the
 * rows is that of the reservations, so that no two wait for each other. The commit of the transaction removes the row.
 */
import { isArray, type Value } from '../../value/value.js';
import type { KeyReservation, Reservations } from '../commit/reservations.js';
import type { CommitFollower, Key, KeyRange, Stored, Transaction } from '../contract.js';
import { stampBytes, stampIn } from '../transaction/append.js';
import { ReadSet } from '../transaction/read-set.js';
import { headArea, NODES_HEAD } from './heads.js';

/** The rows: `D ff ff ff ff v stamp order`. */
export const RESERVATIONS_PREFIX: Key = `${headArea(NODES_HEAD)}v`;
const END: Key = `${headArea(NODES_HEAD)}w`;
/** How often a transaction with a reservation fails before the others are asked to wait, too. */
const FAILURES = 3;
/** Keys and ranges in a row. Of more, all between the least and the greatest is reserved. */
const MOST = 256;
const FIRST_ORDER = '\0\0\0\0';

export class SharedReservations implements CommitFollower {
  readonly #reservations: Reservations;
  readonly #begin: () => Transaction;
  /** Of other nodes, by their rows. */
  readonly #foreign = new Map<Key, KeyReservation>();

  constructor(reservations: Reservations, begin: () => Transaction) {
    this.#reservations = reservations;
    this.#begin = begin;
  }

  /** Makes a reservation known to other nodes, if its transaction goes on failing without that. */
  async publishIfNeeded(reservation: KeyReservation): Promise<KeyReservation> {
    if (reservation.failures < FAILURES || reservation.row !== undefined || reservation.isOver) return reservation;
    await this.#try(async (transaction) => {
      transaction.append(RESERVATIONS_PREFIX, storedReservation(reservation));
      transaction.afterCommit((stamp) =>
        reservation.publish(stamp, RESERVATIONS_PREFIX + stampBytes(stamp) + FIRST_ORDER),
      );
      await transaction.commit();
    });
    if (reservation.isOver) void this.#remove(reservation);
    else reservation.onEnd(() => void this.#remove(reservation));
    return reservation;
  }

  /** The reservation of a transaction that was given up. */
  async #remove({ row }: KeyReservation): Promise<void> {
    if (row === undefined) return;
    await this.#try(async (transaction) => {
      transaction.delete(row);
      await transaction.commit();
    });
  }

  /** Without this advice, commits are validated as always. */
  async #try(work: (transaction: Transaction) => Promise<void>): Promise<void> {
    let transaction: Transaction | undefined;
    try {
      transaction = this.#begin();
      await work(transaction);
    } catch {
      transaction?.cancel();
    }
  }

  onCommits(commits: Parameters<CommitFollower['onCommits']>[0]): void {
    for (const { isOwn, keys } of commits) {
      if (isOwn) continue;
      for (const key of keys) if (key >= RESERVATIONS_PREFIX && key < END) this.#followed(key);
    }
  }

  /** Missed reservations are advisory, and expire soon. */
  onGap(): void {}

  /** A row is written once and removed once. */
  #followed(key: Key): void {
    const known = this.#foreign.get(key);
    if (known === undefined) {
      void this.#read(key);
      return;
    }
    this.#foreign.delete(key);
    known.release();
  }

  async #read(key: Key): Promise<void> {
    await this.#try(async (transaction) => {
      const stored = await transaction.get(key);
      transaction.cancel();
      const covered = stored === undefined ? undefined : readReservation(stored);
      if (covered === undefined) return;
      const reservation = this.#reservations.addForeign(stampIn(RESERVATIONS_PREFIX, key), covered);
      this.#foreign.set(key, reservation);
      reservation.onEnd(() => this.#foreign.delete(key));
    });
  }
}

function storedReservation({ covered: { reads, written } }: KeyReservation): Stored {
  const keys = reads.flatMap((each) => [...each.keys]);
  const ranges = reads.flatMap((each) => each.ranges);
  return [boundedRanges(keys, ranges), written.slice(0, MOST)];
}

/** Texts of bytes: `from` and `to` of each range, in pairs. */
function boundedRanges(keys: readonly Key[], ranges: readonly KeyRange[]): Value[] {
  const all = [...keys.map((key) => ({ from: key, to: `${key}\0` })), ...ranges];
  if (all.length <= MOST) return all.flatMap(({ from, to }) => [from, to]);
  let { from, to } = all[0]!;
  for (const range of all) {
    if (range.from < from) from = range.from;
    if (range.to > to) to = range.to;
  }
  return [from, to];
}

function readReservation(stored: Stored): { readonly reads: ReadSet; readonly written: readonly Key[] } | undefined {
  if (!isArray(stored)) return undefined;
  const [ranges, written] = stored;
  if (!isArray(ranges) || !isArray(written)) return undefined;
  const reads = new ReadSet();
  for (let at = 0; at + 1 < ranges.length; at += 2) reads.addRange(String(ranges[at]), String(ranges[at + 1]));
  return { reads, written: written.map(String) };
}
