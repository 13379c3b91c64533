/** Makes one segment of several sources. */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Key, Stored } from '../../storage/contract.js';
import type { SegmentKeys } from './layout.js';
import { PostingBuffer } from './postings.js';
import { type SegmentDocument, SegmentWriter } from './segment-writer.js';
import { compareTerms, type TermCursor } from './term-bytes.js';
import type { TermSource } from './term-sources.js';

/** Documents, and postings, between two checkpoints. */
const DOCUMENTS = 512;
const POSTINGS = 8_192;

/** The new numbers of the documents of a source; -1 for those that are left out. */
type Numbers = Int32Array;

interface Merged {
  readonly documents: readonly SegmentDocument[];
  readonly numbers: readonly Numbers[];
}

/** Writes all that some sources hold as one segment; answers how many documents it has, and bytes of lists. */
export function writeSegment(
  sources: readonly TermSource[],
  keys: SegmentKeys,
  put: (key: Key, value: Stored) => void,
  work: Work,
): PromiseOrValue<{ readonly documents: number; readonly bytes: number }> {
  return andThen(mergeDocuments(sources, work), (merged) => {
    const writer = new SegmentWriter(keys, put);
    return andThen(writer.addDocuments(merged.documents, work), () =>
      andThen(mergeTerms(sources, merged, writer, work), () => ({
        documents: merged.documents.length,
        bytes: writer.finish(),
      })),
    );
  });
}

/** All documents of some sources, in the order of their keys. No key is in two of them, but for those left out. */
function mergeDocuments(sources: readonly TermSource[], work: Work): PromiseOrValue<Merged> {
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
    untilTrue(() => step() || andThen(work.checkpoint(), () => false)),
    () => ({ documents, numbers }),
  );
}

/** Writes the terms of all sources. */
function mergeTerms(
  sources: readonly TermSource[],
  { numbers }: Merged,
  writer: SegmentWriter,
  work: Work,
): PromiseOrValue<void> {
  const merging = new TermMerging(sources, numbers, writer);
  return untilTrue(() => {
    for (let left = POSTINGS; left > 0; ) {
      const empty = merging.emptySource();
      if (empty !== undefined) return andThen(empty, () => false);
      const work = merging.addTerm();
      if (work === 0) return true;
      left -= work;
    }
    return andThen(work.checkpoint(), () => false);
  });
}

class TermMerging {
  readonly #sources: readonly TermSource[];
  readonly #terms: readonly TermCursor[];
  readonly #numbers: readonly Numbers[];
  readonly #writer: SegmentWriter;
  readonly #ended: boolean[];
  /** The sources that have the term that is written. */
  readonly #having: Int32Array;
  #postings = new PostingBuffer();
  #other = new PostingBuffer();

  constructor(sources: readonly TermSource[], numbers: readonly Numbers[], writer: SegmentWriter) {
    this.#sources = sources;
    this.#terms = sources.map(({ term }) => term);
    this.#numbers = numbers;
    this.#writer = writer;
    this.#ended = sources.map(() => false);
    this.#having = new Int32Array(sources.length);
  }

  /** Fills a source whose terms were all taken; `undefined` where there is none. */
  emptySource(): PromiseOrValue<boolean> | undefined {
    const terms = this.#terms;
    for (let at = 0; at < terms.length; at++) {
      if ((terms[at] as TermCursor).isThere || this.#ended[at]) continue;
      return andThen((this.#sources[at] as TermSource).fill(), (filled) => {
        this.#ended[at] = !filled;
        return filled;
      });
    }
    return undefined;
  }

  /** Writes the least term of all; answers how much work that was, in postings, or 0 where there is none. */
  addTerm(): number {
    const sources = this.#sources;
    const having = this.#having;
    let count = 0;
    let term: TermCursor | undefined;
    const terms = this.#terms;
    for (let at = 0; at < terms.length; at++) {
      const own = terms[at] as TermCursor;
      if (!own.isThere) continue;
      const order = term === undefined ? -1 : compareTerms(own, term);
      if (order > 0) continue;
      if (order < 0) count = 0;
      having[count++] = at;
      term = own;
    }
    if (term === undefined) return 0;
    let net = 0;
    this.#postings.count = 0;
    for (let place = 0; place < count; place++) {
      const at = having[place] as number;
      const source = sources[at] as TermSource;
      net += (terms[at] as TermCursor).net;
      // One source alone keeps its numbers.
      const keeps = sources.length === 1 && !source.hasDropped;
      const from = this.#postings.count;
      source.addTo(this.#postings, keeps ? undefined : this.#numbers[at]);
      this.#unite(from);
    }
    this.#writer.add({ term, net, postings: this.#postings });
    for (let place = 0; place < count; place++) (sources[having[place] as number] as TermSource).advance();
    return this.#postings.count + 16;
  }

  /** Brings postings, of which those before a place are in order and those from there on, into one order. */
  #unite(from: number): void {
    const { documents, occurrences, count } = this.#postings;
    if (from === 0 || from === count || (documents[from - 1] as number) < (documents[from] as number)) return;
    const united = this.#other;
    united.count = 0;
    united.reserve(count);
    let left = 0;
    let right = from;
    while (left < from || right < count) {
      const isLeft = right === count || (left < from && (documents[left] as number) < (documents[right] as number));
      const place = isLeft ? left++ : right++;
      united.push(documents[place] as number, occurrences[place] as number);
    }
    this.#other = this.#postings;
    this.#postings = united;
  }
}
