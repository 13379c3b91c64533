/** Makes one segment of several sources. */
import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import type { Pause } from './analyzer.js';
import type { Postings } from './postings.js';
import type { SegmentDocument, SegmentWriter } from './segment-writer.js';
import type { TermSource } from './term-sources.js';

/** Documents, and postings, between two pauses. */
const DOCUMENTS = 512;
const POSTINGS = 8_192;

/** The new numbers of the documents of a source; -1 for those that are left out. */
type Numbers = Int32Array;

export interface Merged {
  readonly documents: readonly SegmentDocument[];
  readonly numbers: readonly Numbers[];
}

/** All documents of some sources, in the order of their keys. No key is in two of them, but for those left out. */
export function mergeDocuments(sources: readonly TermSource[], pause: Pause): PromiseOrValue<Merged> {
  const documents: SegmentDocument[] = [];
  const numbers = sources.map(({ documents: { length } }) => new Int32Array(length).fill(-1));
  const at = sources.map(() => 0);
  const step = (): boolean => {
    for (let left = DOCUMENTS; left > 0; left--) {
      let first = -1;
      let least: SegmentDocument | undefined;
      for (const [index, source] of sources.entries()) {
        let next = at[index] as number;
        while (next < source.documents.length && source.isDropped(next)) next++;
        at[index] = next;
        const document = source.documents[next];
        if (document !== undefined && (least === undefined || document.key < least.key)) {
          least = document;
          first = index;
        }
      }
      if (least === undefined) return true;
      (numbers[first] as Numbers)[at[first] as number] = documents.length;
      at[first] = (at[first] as number) + 1;
      documents.push(least);
    }
    return false;
  };
  return andThen(
    untilTrue(() => step() || andThen(pause(), () => false)),
    () => ({ documents, numbers }),
  );
}

/** Writes the terms of all sources. */
export function mergeTerms(
  sources: readonly TermSource[],
  { numbers }: Merged,
  writer: SegmentWriter,
  pause: Pause,
): PromiseOrValue<void> {
  const ended = sources.map(() => false);
  const step = (): PromiseOrValue<boolean> => {
    for (let left = POSTINGS; left > 0; ) {
      let term: string | undefined;
      for (const [index, source] of sources.entries()) {
        const { current } = source;
        if (current === undefined && !ended[index]) {
          return andThen(source.fill(), (filled) => {
            ended[index] = !filled;
            return false;
          });
        }
        if (current !== undefined && (term === undefined || current.term < term)) term = current.term;
      }
      if (term === undefined) return true;
      left -= addTerm(term, sources, numbers, writer);
    }
    return andThen(pause(), () => false);
  };
  return untilTrue(step);
}

/** Answers how much work it was, in postings. */
function addTerm(
  term: string,
  sources: readonly TermSource[],
  numbers: readonly Numbers[],
  writer: SegmentWriter,
): number {
  let net = 0;
  let postings = NOTHING;
  for (const [index, source] of sources.entries()) {
    const { current } = source;
    if (current?.term !== term) continue;
    net += current.net;
    const part = source.postings();
    // One source alone keeps its numbers.
    const fresh = sources.length === 1 && !source.hasDropped ? part : renumbered(part, numbers[index] as Numbers);
    postings = postings.documents.length === 0 ? fresh : united(postings, fresh);
    source.advance();
  }
  writer.add({ term, net, postings });
  return postings.documents.length + 16;
}

const NOTHING: Postings = { documents: [], occurrences: [] };

function renumbered({ documents, occurrences }: Postings, numbers: Numbers): Postings {
  const fresh = new Uint32Array(documents.length);
  const times = new Uint32Array(documents.length);
  let count = 0;
  for (let at = 0; at < documents.length; at++) {
    const number = numbers[documents[at] as number] as number;
    if (number < 0) continue;
    fresh[count] = number;
    times[count++] = occurrences[at] as number;
  }
  return { documents: fresh.subarray(0, count), occurrences: times.subarray(0, count) };
}

/** Those of both, in their order. No document is in both. */
function united(one: Postings, other: Postings): Postings {
  const length = one.documents.length + other.documents.length;
  const documents = new Uint32Array(length);
  const occurrences = new Uint32Array(length);
  let left = 0;
  let right = 0;
  for (let at = 0; at < length; at++) {
    const isLeft =
      right === other.documents.length ||
      (left < one.documents.length && (one.documents[left] as number) < (other.documents[right] as number));
    const from = isLeft ? one : other;
    const place = isLeft ? left++ : right++;
    documents[at] = from.documents[place] as number;
    occurrences[at] = from.occurrences[place] as number;
  }
  return { documents, occurrences };
}
