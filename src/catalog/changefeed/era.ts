/**
 * The era of a store: it begins when the store is restored from a backup. Credentials issued before, between the backup
 * and the restore above all, refer to a history that is no longer this store's: tokens, refresh tokens, positions of
 * changefeeds. A store that was never restored has no era.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Clock } from '../../env/environment.js';
import type { Transaction, Versionstamp } from '../../storage/contract.js';
import { stampOfTime } from '../../storage/transaction/append.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { Datetime } from '../../value/value.js';
import { readDefinition } from '../definitions/stored-definition.js';
import { forEachEntry } from '../entries.js';
import { definitionRange, ROOT_AREA, settingKey } from '../keys/store-keys.js';
import { recordEra } from './coverage.js';

/** Begins an era now: what was issued before, tokens and positions of changefeeds, is no longer valid. */
export function beginEra(transaction: Transaction, clock: Clock): PromiseOrValue<void> {
  transaction.put(settingKey('restored'), toDatetime(clock.now()));
  // Tokens are looked up from now on.
  transaction.put(settingKey('denials'), true);
  return forEachEntry(transaction, definitionRange(ROOT_AREA, 'database'), ([, stored]) => {
    recordEra(transaction, readDefinition('define-database', stored));
  });
}

/** When the store was restored, in nanoseconds since 1970; `undefined` if it never was. */
export function restoredAt(transaction: Transaction): PromiseOrValue<bigint | undefined> {
  return andThen(transaction.get(settingKey('restored')), (stored) =>
    stored instanceof Datetime ? datetimeNanoseconds(stored) : undefined,
  );
}

/** The first versionstamp of the era; 0 if the store was never restored. */
export function firstStamp(transaction: Transaction): PromiseOrValue<Versionstamp> {
  return andThen(restoredAt(transaction), (restored) => (restored === undefined ? 0n : (stampOfTime(restored) ?? 0n)));
}
