/**
 * What has changed of a record since it was last folded into a segment: its terms by then, and now. It stands under a
 * key of the record's own, so that those who write different records never conflict.
 */
import { Buffer } from 'node:buffer';
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Stored } from '../../storage/contract.js';
import { ByteWriter, utf8Length } from '../../value/codecs/byte-writer.js';
import { isArray, type Value } from '../../value/value.js';
import type { CountedTerms, DocumentTerms } from '../text/document-terms.js';
import { newBytes } from '../text/new-bytes.js';
import { ByteCursor, varintLength, writeVarint } from './byte-cursor.js';

/**
 * The terms of a document as they are noted: how many there are, repeated ones too; how many different ones; and for
 * each of these its length, its UTF-8 and how often it occurs. Each number is a varint.
 */
export type NotedTerms = Uint8Array;

/** `undefined`: no such record. */
export interface PendingChange {
  readonly before: NotedTerms | undefined;
  readonly after: NotedTerms | undefined;
}

/** A change with the encoded key of its record. */
export type KeyedChange = PendingChange & { readonly key: string };

const writer = new ByteWriter();

/** Terms between two checkpoints. */
const TURN = 16_384;

/** Terms that were just counted as they are noted. */
export function noteCounted(counted: CountedTerms): NotedTerms {
  const { length, dictionary, numbers } = counted;
  const { units } = dictionary;
  const { all } = numbers;
  let size = varintLength(length) + varintLength(numbers.length);
  for (let at = 0; at < numbers.length; at++) {
    const number = all[at] as number;
    const bytes = dictionary.endOf(number) - dictionary.startOf(number);
    size += varintLength(bytes) + bytes + varintLength(counted.occurrencesOf(number));
  }
  const noted = Buffer.allocUnsafe(size);
  let place = writeVarint(noted, writeVarint(noted, 0, length), numbers.length);
  for (let at = 0; at < numbers.length; at++) {
    const number = all[at] as number;
    const end = dictionary.endOf(number);
    let from = dictionary.startOf(number);
    place = writeVarint(noted, place, end - from);
    while (from < end) noted[place++] = units[from++] as number;
    place = writeVarint(noted, place, counted.occurrencesOf(number));
  }
  return noted;
}

/** The same of any others: there may be millions. */
export function noteTerms({ length, counts }: DocumentTerms, work: Work): PromiseOrValue<NotedTerms> {
  const own = counts.size > TURN ? new ByteWriter() : writer;
  own.begin();
  own.varint(length);
  own.varint(counts.size);
  const entries = counts.entries();
  const written = untilTrue(() => {
    for (let left = TURN; left > 0; left--) {
      const { value: entry, done } = entries.next();
      if (done === true) return true;
      const [term, count] = entry;
      const bytes = utf8Length(term);
      own.varint(bytes);
      own.utf8(term, bytes);
      own.varint(count);
    }
    return counts.size <= TURN ? false : andThen(work.checkpoint(), () => false);
  });
  return andThen(written, () => own.finish());
}

/** Of a record without texts. */
export const NO_TERMS: NotedTerms = newBytes(2);

/** How many terms a document has. */
export function notedLength(noted: NotedTerms): number {
  return new ByteCursor(noted).varint();
}

/** Receives a term, as a part of what is noted. */
type NotedVisitor = (start: number, end: number, occurrences: number) => void;

/** Bytes of terms between two checkpoints. */
const TURN_BYTES = 2 ** 18;

/** Visits the terms of a document, with a checkpoint after each some thousand, fewer where they are long. */
export function forEachNoted(noted: NotedTerms, work: Work, visit: NotedVisitor): PromiseOrValue<void> {
  const cursor = new ByteCursor(noted);
  cursor.varint();
  let size = cursor.varint();
  if (size <= TURN && noted.length <= TURN_BYTES) {
    visitNoted(cursor, size, noted.length, visit);
    return;
  }
  return untilTrue(() => {
    size -= visitNoted(cursor, Math.min(size, TURN), cursor.at + TURN_BYTES, visit);
    return size === 0 || andThen(work.checkpoint(), () => false);
  });
}

/** Visits so many terms at most, up to a place; answers how many. */
function visitNoted(cursor: ByteCursor, most: number, until: number, visit: NotedVisitor): number {
  let count = 0;
  for (; count < most && cursor.at < until; count++) {
    const length = cursor.varint();
    const start = cursor.at;
    cursor.at += length;
    visit(start, start + length, cursor.varint());
  }
  return count;
}

/** A change of a document's terms as it is stored until it is folded. */
export function storeChange({ before, after }: PendingChange): Stored {
  return [before ?? null, after ?? null];
}

/** The change in a stored row (`storeChange`). */
export function readChange(stored: Stored): PendingChange {
  const [before, after] = isArray(stored) ? stored : [];
  return { before: readTerms(before), after: readTerms(after) };
}

function readTerms(stored: Value): NotedTerms | undefined {
  if (stored instanceof Uint8Array) return stored;
  return isArray(stored) ? fromEarlier(stored) : undefined;
}

/** From notes of revisions before 0.2: terms joined by zero characters, and how often each occurs unless once. */
function fromEarlier([length, size, joined, bytes]: readonly Value[]): NotedTerms {
  const cursor = bytes instanceof Uint8Array ? new ByteCursor(bytes) : undefined;
  writer.begin();
  writer.varint(Number(length));
  writer.varint(Number(size));
  if (size !== 0) {
    for (const term of String(joined).split('\0')) {
      const bytes = utf8Length(term);
      writer.varint(bytes);
      writer.utf8(term, bytes);
      writer.varint(cursor?.varint() ?? 1);
    }
  }
  return writer.finish();
}
