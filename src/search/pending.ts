/**
 * What has changed of a record since it was last folded into a segment: its terms by then, and now. It stands under a
 * key of the record's own, so that those who write different records never conflict.
 */
import type { Stored } from '../storage/contract.js';
import { ByteWriter, utf8Length } from '../value/byte-writer.js';
import { isArray, type Value } from '../value/value.js';
import { ByteCursor } from './byte-cursor.js';
import type { CountedTerms, DocumentTerms } from './document-terms.js';

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

/** Terms that were just counted as they are noted. */
export function noteCounted(counted: CountedTerms): NotedTerms {
  const { length, dictionary, numbers } = counted;
  writer.begin();
  writer.varint(length);
  writer.varint(numbers.length);
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers.all[at] as number;
    dictionary.write(number, writer);
    writer.varint(counted.occurrencesOf(number));
  }
  return writer.finish();
}

/** The same of any others. */
export function noteTerms({ length, counts }: DocumentTerms): NotedTerms {
  writer.begin();
  writer.varint(length);
  writer.varint(counts.size);
  for (const [term, count] of counts) {
    const bytes = utf8Length(term);
    writer.varint(bytes);
    writer.utf8(term, bytes);
    writer.varint(count);
  }
  return writer.finish();
}

/** How many terms a document has. */
export function notedLength(noted: NotedTerms): number {
  return new ByteCursor(noted).varint();
}

/**
 * Visits the terms of a document, each as a part of what is noted.
 * @returns how many there are
 */
export function forEachNoted(
  noted: NotedTerms,
  visit: (start: number, end: number, occurrences: number) => void,
): number {
  const cursor = new ByteCursor(noted);
  cursor.varint();
  const size = cursor.varint();
  for (let left = size; left > 0; left--) {
    const length = cursor.varint();
    const start = cursor.at;
    cursor.at += length;
    visit(start, start + length, cursor.varint());
  }
  return size;
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
  return isArray(stored) ? noteTerms(readEarlier(stored)) : undefined;
}

/** As revisions before 0.2 have it: terms joined by zero characters, and how often each occurs unless all do once. */
function readEarlier([length, size, joined, bytes]: readonly Value[]): DocumentTerms {
  const counts = new Map<string, number>();
  const cursor = bytes instanceof Uint8Array ? new ByteCursor(bytes) : undefined;
  if (size !== 0) for (const term of String(joined).split('\0')) counts.set(term, cursor?.varint() ?? 1);
  return { length: Number(length), counts };
}
