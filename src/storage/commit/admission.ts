/** What the commits of an engine in this process wait for: others that are made in steps, and reservations. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { WaitInterrupt } from '../contract.js';
import type { StampSource } from '../transaction/append.js';
import type { ReadSet } from '../transaction/read-set.js';
import { type WriteSet, writtenKeys } from '../transaction/write-set.js';
import type { CommitGate } from './commit-gate.js';
import type { Commit, CommitLog } from './commit-log.js';
import type { KeyReservation, Reservations } from './reservations.js';

/** What orders the commits of an engine. */
export interface CommitOrder {
  readonly log: CommitLog;
  readonly gate: CommitGate;
  readonly reservations: Reservations;
  readonly stamps: StampSource;
}

/** A transaction that asks to commit. */
interface Committing {
  readonly began: Commit;
  readonly reads: ReadSet;
  readonly writes: WriteSet;
  /** Its reservation. */
  readonly own: KeyReservation | undefined;
  readonly interrupt: WaitInterrupt | undefined;
  /** It was interrupted while it waited. */
  abandon(): void;
}

/** Runs `commit` when it may: at once, unless another is under way or a reservation covers what it writes. */
export function admitted<T>(
  order: CommitOrder,
  candidate: Committing,
  commit: () => PromiseOrValue<T>,
): PromiseOrValue<T> {
  const { gate, log, reservations, stamps } = order;
  const { began, reads, writes, own, interrupt } = candidate;
  if (gate.isHeld) return gate.enter(() => admitted(order, candidate, commit));
  // A transaction that has a conflict already fails at once.
  if (reservations.isEmpty || log.conflicts(began, reads, writes)) return commit();
  const written = writtenKeys(writes, stamps);
  const request = { written, isMaintenance: writes.isMaintenance, own, interrupt, abandon: candidate.abandon };
  // A commit in steps may have begun while this one waited to be admitted.
  return reservations.admit(request, () =>
    gate.isHeld ? gate.enter(() => admitted(order, candidate, commit)) : commit(),
  );
}
