/**
 * The numbers of sequences: reserved in batches outside of the caller's transaction, so that callers don't conflict.
 */
import { invariant } from '../../base/invariant.js';
import { andThen, isPromise, lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { SequenceDefinition } from '../../catalog/definitions/definition.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { databaseArea, sequenceKey } from '../../catalog/keys/store-keys.js';
import { failure } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';
import type { SequenceNumbers } from '../../runtime/execution.js';
import type { Interrupt } from '../../runtime/interrupt.js';
import type { Engine } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { intValue, MAX_INT } from '../../value/number.js';
import type { Duration } from '../../value/value.js';

/** The numbers that this server has reserved and not used yet. */
interface Batch {
  next: bigint;
  end: bigint;
  /** A new batch being reserved; concurrent requests wait for it, too. */
  refill: Promise<void> | undefined;
}

/** Maximum number of sequences whose batches are kept; an evicted batch leaves a gap. */
const KEPT = 4_096;

/**
 * Reserves numbers of sequences in the store, a batch at a time, each in its own transaction. The user of a
 * number may fail or be cancelled: the number is then lost.
 */
export class SequenceCounters implements SequenceNumbers {
  readonly #engine: Engine;
  readonly #batches = new TwoGenerationCache<string, Batch>(KEPT);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  next(database: Id, sequence: SequenceDefinition, interrupt: Interrupt): PromiseOrValue<bigint> {
    const key = sequenceKey(databaseArea(database), sequence.identity);
    let batch = this.#batches.get(key);
    if (batch === undefined) {
      batch = { next: 0n, end: 0n, refill: undefined };
      this.#batches.set(key, batch);
    }
    return this.#take(key, batch, sequence, interrupt);
  }

  #take(key: string, batch: Batch, sequence: SequenceDefinition, interrupt: Interrupt): PromiseOrValue<bigint> {
    if (batch.next < batch.end) return batch.next++;
    // The end of another request's fetch, by its deadline, doesn't concern this one.
    const filled = batch.refill?.catch(() => {}) ?? this.#refill(key, batch, sequence, interrupt);
    return andThen(filled, () => this.#take(key, batch, sequence, interrupt));
  }

  #refill(key: string, batch: Batch, sequence: SequenceDefinition, interrupt: Interrupt): PromiseOrValue<void> {
    const limited = sequence.timeout === undefined ? interrupt : interrupt.within(durationOf(sequence.timeout));
    const filled = lastly(
      () => this.#fill(key, batch, sequence, limited),
      () => {
        batch.refill = undefined;
      },
    );
    if (isPromise(filled)) batch.refill = filled;
    return filled;
  }

  #fill(
    key: string,
    batch: Batch,
    { name, batch: size, start }: SequenceDefinition,
    interrupt: Interrupt,
  ): PromiseOrValue<void> {
    const taken = withRetries(this.#engine, (transaction) =>
      andThen(transaction.get(key), (stored) => {
        interrupt.check();
        const from = stored === undefined ? integerOf(start) : BigInt(stored as number | bigint) + 1n;
        if (from > MAX_INT) throw failure('sequence_exhausted', { name });
        const last = from + (integerOf(size) || 1n) - 1n;
        const end = last < MAX_INT ? last : MAX_INT;
        transaction.put(key, intValue(end));
        return { from, end: end + 1n };
      }),
    );
    return andThen(taken, ({ from, end }) => {
      batch.next = from;
      batch.end = end;
    });
  }
}

function integerOf(clause: Expression): bigint {
  invariant(clause.kind === 'literal', 'the clauses of a sequence were evaluated when it was defined');
  return BigInt(clause.value as number | bigint);
}

function durationOf(clause: Expression): Duration {
  invariant(clause.kind === 'literal', 'the clauses of a sequence were evaluated when it was defined');
  return clause.value as Duration;
}
