/**
 * Identities: who a record is to the world outside. Each ties a subject that was proved at an access method (a mail
 * address) to a record and its incarnation, and is void once that record is gone, even if its id is used again.
 *
 * A row is found by its subject, when a client signs in, by its record, when that is asked or deleted, and by the
 * mail address that it proves.
 */
import { createHash } from 'node:crypto';
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { AT_ONCE, type Work } from '../../base/work/work.js';
import type { Random } from '../../env/environment.js';
import type { AccessWay } from '../../language/ast.js';
import type { Key, KeyRange, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import {
  type Datetime,
  isObject,
  type ObjectValue,
  objectFrom,
  Range,
  type RecordId,
  type Value,
} from '../../value/value.js';
import { entriesOf } from '../entries.js';
import type { Id } from '../keys/key-bytes.js';
import {
  addressIdentityKey,
  addressIdentityRange,
  factorTriesKey,
  factorTriesRange,
  identityKey,
  identityRange,
  recordIdentityKey,
  recordIdentityRange,
  userHandleKey,
  userHandleRange,
} from '../keys/store-keys.js';
import { generateSecret } from './secret.js';

export interface IdentityGrant {
  /** Names it in ACCESS … REVOKE, and in the tokens of sessions that were signed in by it. */
  readonly id: string;
  readonly access: string;
  readonly kind: AccessWay['kind'];
  /**
   * What was proved, as the way writes it: a mail address as `mailAddress` has it, or `["https://issuer","sub"]` of a
   * provider. Compared octet by octet.
   */
  readonly subject: string;
  readonly record: RecordId;
  readonly incarnation: string;
  readonly created: Datetime;
  /** When it was last signed in by; absent if it never was. */
  readonly used?: Datetime | undefined;
  /** The mail address that it proves, as `mailAddress` has it; absent if it proves none. */
  readonly address?: string | undefined;
  /** What the way keeps with it. */
  readonly kept?: ObjectValue | undefined;
}

/** What its user calls it, as `{ name }`; without the member if it has no name. */
export function shownName({ kept }: IdentityGrant): { readonly name?: Value } {
  return kept?.['name'] === undefined ? {} : { name: kept['name'] };
}

/** What leads to an identity by its record or address. */
interface Pointer {
  readonly access: string;
  readonly subject: string;
  readonly address?: string;
}

const ID_LENGTH = 12;

/** The id of an identity that is to be stored. */
export function drawIdentityId(random: Random): string {
  return generateSecret(random, ID_LENGTH);
}

/** The identities of a database, within a transaction. */
export class Identities {
  constructor(
    readonly transaction: Transaction,
    readonly database: Id,
  ) {}

  /** The identity of a subject, whether or not its record still exists. */
  find(access: string, subject: string): PromiseOrValue<IdentityGrant | undefined> {
    return andThen(this.transaction.get(identityKey(this.database, access, digestOf(subject))), readIdentity);
  }

  /** Those of a record at all access methods, by whatever way they were proved. */
  ofRecord(record: RecordId): Promise<readonly IdentityGrant[]> {
    return this.#ofRecord(record);
  }

  /** Those of a record at an access method, but for what was proved there by a way that it had before. */
  async ofRecordAt(record: RecordId, access: string, way: AccessWay['kind']): Promise<readonly IdentityGrant[]> {
    return (await this.#ofRecord(record, access)).filter(({ kind }) => kind === way);
  }

  /** Those of an access method, in no order that means anything. */
  async list(access: string): Promise<readonly IdentityGrant[]> {
    const entries = await entriesOf(this.transaction, identityRange(this.database, access));
    return entries.flatMap(([, stored]) => readIdentity(stored) ?? []);
  }

  /** The same, up to `most` at a time. */
  async *batches(access: string, most: number): AsyncGenerator<readonly IdentityGrant[]> {
    const cursor = this.transaction.scan(identityRange(this.database, access));
    try {
      let batch: IdentityGrant[] = [];
      for (let entries = await cursor.next(); entries !== undefined; entries = await cursor.next()) {
        for (const [, stored] of entries) {
          const identity = readIdentity(stored);
          if (identity !== undefined) batch.push(identity);
        }
        if (batch.length < most) continue;
        yield batch;
        batch = [];
      }
      yield batch;
    } finally {
      cursor.close();
    }
  }

  /** Those that prove a mail address, whether or not their records still exist. */
  ofAddress(address: string): Promise<readonly IdentityGrant[]> {
    return this.#listed(addressIdentityRange(this.database, digestOf(address)));
  }

  /** @param former the identity that it takes the place of: the same one, as it was */
  put(identity: IdentityGrant, former?: IdentityGrant): void {
    const { access, subject, address } = identity;
    if (former !== undefined) this.remove(former);
    const pointer = objectFrom({ access, subject, address });
    this.transaction.put(identityKey(this.database, access, digestOf(subject)), objectFrom({ ...identity }));
    this.transaction.put(this.#recordKey(identity), pointer);
    if (address !== undefined) this.transaction.put(this.#addressKey({ access, subject, address }), pointer);
  }

  remove(identity: IdentityGrant): void {
    const { access, subject, address } = identity;
    this.transaction.delete(identityKey(this.database, access, digestOf(subject)));
    this.transaction.delete(this.#recordKey(identity));
    if (address !== undefined) this.transaction.delete(this.#addressKey({ access, subject, address }));
  }

  /**
   * By what authenticators know a record: the same for ever, whatever passkeys come and go, since they keep one passkey
   * for each of these. Absent until it is kept for this incarnation.
   */
  async userHandle({ table, key }: RecordId, incarnation: string): Promise<string | undefined> {
    const stored = await this.transaction.get(userHandleKey(this.database, table, encodeKey(key as Value)));
    return isObject(stored) && stored['incarnation'] === incarnation ? (stored['handle'] as string) : undefined;
  }

  keepUserHandle({ table, key }: RecordId, incarnation: string, handle: string): void {
    const stored = objectFrom({ incarnation, handle });
    this.transaction.put(userHandleKey(this.database, table, encodeKey(key as Value)), stored);
  }

  /**
   * Removes those of a record, by its encoded key, with its handle and its wrong second proofs; without one, those of
   * all records of the table.
   */
  removeOf(table: string, key?: string, work: Work = AT_ONCE): PromiseOrValue<void> {
    const { transaction, database } = this;
    if (key !== undefined) {
      transaction.delete(userHandleKey(database, table, key));
      transaction.delete(factorTriesKey(database, table, key));
      return this.#removePointers(table, key, work);
    }
    const handles = transaction.deleteRange(userHandleRange(database, table), work);
    const tries = andThen(handles, () => transaction.deleteRange(factorTriesRange(database, table), work));
    return andThen(tries, () => this.#removePointers(table, key, work));
  }

  #removePointers(table: string, key: string | undefined, work: Work): PromiseOrValue<void> {
    const { transaction, database } = this;
    return forEachBatch(transaction.scan(recordIdentityRange(database, table, key)), (batch) => {
      for (const [pointer, stored] of batch) {
        const { access, subject, address } = stored as unknown as Pointer;
        transaction.delete(identityKey(database, access, digestOf(subject)));
        if (address !== undefined) transaction.delete(this.#addressKey({ access, subject, address }));
        transaction.delete(pointer);
      }
      return andThen(work.checkpoint(), () => false);
    });
  }

  async #listed(range: KeyRange): Promise<readonly IdentityGrant[]> {
    const entries = await entriesOf(this.transaction, range);
    const found = await mapInOrder(entries, ([, stored]) => {
      const { access, subject } = stored as unknown as Pointer;
      return this.find(access, subject);
    });
    return found.filter((identity) => identity !== undefined);
  }

  #ofRecord({ table, key }: RecordId, access?: string): Promise<readonly IdentityGrant[]> {
    if (key instanceof Range) return Promise.resolve([]);
    return this.#listed(recordIdentityRange(this.database, table, encodeKey(key), access));
  }

  #addressKey({ access, subject, address }: Required<Pointer>): Key {
    return addressIdentityKey(this.database, digestOf(address), access, digestOf(subject));
  }

  #recordKey({ record, access, subject }: IdentityGrant): Key {
    return recordIdentityKey(this.database, record.table, encodeKey(record.key as Value), access, digestOf(subject));
  }
}

function digestOf(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}

function readIdentity(stored: Value): IdentityGrant | undefined {
  return isObject(stored) ? (stored as unknown as IdentityGrant) : undefined;
}
