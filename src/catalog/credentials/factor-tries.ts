/**
 * Wrong codes that were shown as second proofs of a record, at all access methods and servers together. A right one
 * ends the count, a right password doesn't. The row goes with its record.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Transaction } from '../../storage/contract.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { type Datetime, isObject, objectFrom, type RecordId, type Value } from '../../value/value.js';
import type { Id } from '../keys/key-bytes.js';
import { factorTriesKey } from '../keys/store-keys.js';

/** Wrong codes that are free of delay. */
export const FREE_TRIES = 4;
const MINUTE = 60_000_000_000n;
/** The delay after each further one doubles, up to an hour. */
const MOST_DOUBLINGS = 6;
const LONGEST = 60n * MINUTE;

interface Tries {
  readonly wrong: number;
  /** Until when no code is judged, not even a right one; absent: it is. */
  readonly until?: Datetime | undefined;
}

/** The counts of a database, within a transaction. */
export class FactorTries {
  constructor(
    readonly transaction: Transaction,
    readonly database: Id,
  ) {}

  /** Nanoseconds until a code of the record is judged again; 0: now. */
  lockedFor(record: RecordId, now: bigint): PromiseOrValue<bigint> {
    return andThen(this.#find(record), (tries) => {
      const left = tries?.until === undefined ? 0n : datetimeNanoseconds(tries.until) - now;
      return left > 0n ? left : 0n;
    });
  }

  /** Counts a wrong code. */
  async miss(record: RecordId, now: bigint): Promise<void> {
    const wrong = ((await this.#find(record))?.wrong ?? 0) + 1;
    const until = wrong > FREE_TRIES ? toDatetime(now + delayAfter(wrong)) : undefined;
    this.transaction.put(this.#key(record), objectFrom({ wrong, until }));
  }

  /** A right code ends the count. */
  async clear(record: RecordId): Promise<void> {
    if ((await this.#find(record)) !== undefined) this.transaction.delete(this.#key(record));
  }

  #find(record: RecordId): PromiseOrValue<Tries | undefined> {
    return andThen(this.transaction.get(this.#key(record)), (stored) =>
      isObject(stored) ? (stored as unknown as Tries) : undefined,
    );
  }

  #key({ table, key }: RecordId): string {
    return factorTriesKey(this.database, table, encodeKey(key as Value));
  }
}

function delayAfter(wrong: number): bigint {
  const doubled = MINUTE << BigInt(Math.min(wrong - FREE_TRIES - 1, MOST_DOUBLINGS));
  return doubled < LONGEST ? doubled : LONGEST;
}
