/**
 * Cursors of connections: positions in an order, as text. A cursor holds the visible values of the order's fields, with
 * their kinds, and a hash of the order:
 *
 *     base64url( hash of 6 bytes · CBOR of [value₁, …, valueₙ, id] )
 *
 * It isn't signed, since a forged cursor reveals nothing that a filter wouldn't.
 */
import { createHash } from 'node:crypto';
import { failure, TesseraError } from '../../errors/error.js';
import { decodeCbor } from '../../value/codecs/cbor-decode.js';
import { encodeCbor } from '../../value/codecs/cbor-encode.js';
import { isArray, type ObjectValue, Range, RecordId, type Value } from '../../value/value.js';
import type { KeysetKey } from './keyset.js';

const MARK_BYTES = 6;
/** Of a cursor as text. */
const LONGEST = 16_384;
/** Maximum nesting of the values in it. */
const DEEPEST = 64;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** The cursors of one order of one table. */
export class Cursors {
  readonly #table: string;
  readonly #keys: readonly KeysetKey[];
  readonly #mark: Buffer;

  constructor(table: string, keys: readonly KeysetKey[]) {
    this.#table = table;
    this.#keys = keys;
    const order = JSON.stringify([table, ...keys.map(({ column, descending }) => [column, descending])]);
    this.#mark = createHash('sha256').update(order).digest().subarray(0, MARK_BYTES);
  }

  /** The position of a row with the columns of the order. @throws TesseraError `graphql_cursor` */
  write(row: ObjectValue): string {
    const values = encodeCbor(this.#keys.map(({ column }) => row[column]));
    const text = Buffer.concat([this.#mark, values]).toString('base64url');
    if (text.length > LONGEST)
      throw failure('graphql_cursor', { reason: 'A value that records are ordered by is too long' });
    return text;
  }

  /**
   * The values of the keys. `argument` is where the cursor was given, for errors.
   * @throws TesseraError `graphql_cursor`
   */
  read(text: string, argument: string): readonly Value[] {
    const broken = () => failure('graphql_cursor', { reason: `What is given as ${argument} is no cursor` });
    if (text.length > LONGEST || !BASE64URL.test(text)) throw broken();
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= MARK_BYTES) throw broken();
    if (!bytes.subarray(0, MARK_BYTES).equals(this.#mark)) {
      throw failure('graphql_cursor', {
        reason: `The cursor given as ${argument} belongs to another connection or order`,
      });
    }
    const values = decoded(bytes.subarray(MARK_BYTES));
    if (!isArray(values) || values.length !== this.#keys.length || !this.#isId(values.at(-1))) throw broken();
    return values;
  }

  #isId(value: Value): boolean {
    return value instanceof RecordId && value.table === this.#table && !(value.key instanceof Range);
  }
}

/** NONE for what isn't CBOR. */
function decoded(bytes: Uint8Array): Value {
  try {
    return decodeCbor(bytes, { maxDepth: DEEPEST });
  } catch (thrown) {
    if (thrown instanceof TesseraError) return undefined;
    throw thrown;
  }
}
