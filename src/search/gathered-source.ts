/** Documents gathered for a segment: postings as numbers, first in the order of documents, then of terms. */
import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import { StepwiseSort } from '../base/stepwise-sort.js';
import type { Pause } from './analyzer.js';
import type { CountedTerms, DocumentTerms } from './document-terms.js';
import type { KeyedChange } from './pending.js';
import type { Postings } from './postings.js';
import { MAX_DOCUMENTS, type SegmentDocument } from './segment-writer.js';
import type { SourceTerm, TermSource } from './term-sources.js';

/** What is gathered at most: postings, and code units of terms. */
const POSTINGS = 2 ** 21;
const UNITS = 2 ** 23;

/** Terms and postings between two pauses. */
const TURN = 16_384;

/** Numbers that become more. */
class Numbers {
  all = new Uint32Array(1_024);
  length = 0;

  push(value: number): void {
    if (this.length === this.all.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.all);
      this.all = larger;
    }
    this.all[this.length++] = value;
  }
}

interface GatheredTerm {
  readonly id: number;
  readonly term: string;
  net: number;
}

/** Documents come in the order of their keys. Call `sort` before terms are taken. */
export class GatheredSource implements TermSource {
  readonly documents: SegmentDocument[] = [];
  readonly hasDropped = false;
  readonly #ids = new Map<string, number>();
  readonly #terms: GatheredTerm[] = [];
  #units = 0;
  /** Of each posting. */
  readonly #postingTerms = new Numbers();
  readonly #occurrences = new Numbers();
  /** How many postings there are with those of each document. */
  readonly #ends = new Numbers();
  /** Where the postings of each term begin, once they are sorted. */
  #starts = new Uint32Array(1);
  #sortedDocuments = new Uint32Array(0);
  #sortedOccurrences = new Uint32Array(0);
  #order: readonly GatheredTerm[] = [];
  #at = 0;

  /** Whether no more should be gathered. */
  get isFull(): boolean {
    const { documents } = this;
    return documents.length >= MAX_DOCUMENTS || this.#postingTerms.length >= POSTINGS || this.#units >= UNITS;
  }

  /** Adds the new terms of a record, and takes out the former ones; answers how much work that was. */
  change({ key, before, after }: KeyedChange): number {
    if (before !== undefined) for (const term of before.counts.keys()) this.#of(term).net--;
    if (after !== undefined) this.add(key, after);
    return 1 + (before?.counts.size ?? 0) + (after?.counts.size ?? 0);
  }

  add(key: string, { length, counts }: DocumentTerms): void {
    for (const [term, count] of counts) this.#post(this.#of(term), count);
    this.#end(key, length);
  }

  /** The same of terms that were just counted. */
  addCounted(key: string, { length, cells }: CountedTerms): void {
    for (const cell of cells) {
      if (cell.owner !== this) {
        cell.owner = this;
        cell.id = this.#of(cell.term).id;
      }
      this.#post(this.#terms[cell.id] as GatheredTerm, cell.count);
    }
    this.#end(key, length);
  }

  #post(term: GatheredTerm, count: number): void {
    term.net++;
    this.#postingTerms.push(term.id);
    this.#occurrences.push(count);
  }

  #end(key: string, length: number): void {
    this.documents.push({ key, length });
    this.#ends.push(this.#postingTerms.length);
  }

  #of(term: string): GatheredTerm {
    const known = this.#ids.get(term);
    if (known !== undefined) return this.#terms[known] as GatheredTerm;
    const fresh = { id: this.#terms.length, term, net: 0 };
    this.#ids.set(term, fresh.id);
    this.#terms.push(fresh);
    this.#units += term.length + 1;
    return fresh;
  }

  /** Brings terms into their order, and the postings of each together. */
  sort(pause: Pause): PromiseOrValue<void> {
    const count = this.#postingTerms.length;
    const starts = new Uint32Array(this.#terms.length + 1);
    const { all: terms } = this.#postingTerms;
    for (let at = 0; at < count; at++) {
      const after = (terms[at] as number) + 1;
      starts[after] = (starts[after] as number) + 1;
    }
    for (let id = 1; id < starts.length; id++) starts[id] = (starts[id] as number) + (starts[id - 1] as number);
    this.#starts = starts;
    this.#sortedDocuments = new Uint32Array(count);
    this.#sortedOccurrences = new Uint32Array(count);
    const free = starts.slice();
    let document = 0;
    let at = 0;
    const placed = untilTrue(() => {
      for (const end = Math.min(count, at + TURN); at < end; at++) {
        while (at >= (this.#ends.all[document] as number)) document++;
        const term = terms[at] as number;
        const place = free[term] as number;
        free[term] = place + 1;
        this.#sortedDocuments[place] = document;
        this.#sortedOccurrences[place] = this.#occurrences.all[at] as number;
      }
      return at === count || andThen(pause(), () => false);
    });
    return andThen(placed, () => {
      const sorting = new StepwiseSort(this.#terms, (a, b) => (a.term < b.term ? -1 : 1));
      const sorted = untilTrue(() => sorting.step() || andThen(pause(), () => false));
      return andThen(sorted, () => {
        this.#order = sorting.result;
      });
    });
  }

  isDropped(): boolean {
    return false;
  }

  get current(): SourceTerm | undefined {
    return this.#order[this.#at];
  }

  postings(): Postings {
    const { id } = this.#order[this.#at] as GatheredTerm;
    const [from, to] = [this.#starts[id], this.#starts[id + 1]];
    return {
      documents: this.#sortedDocuments.subarray(from, to),
      occurrences: this.#sortedOccurrences.subarray(from, to),
    };
  }

  advance(): void {
    this.#at++;
  }

  fill(): boolean {
    return false;
  }
}

/** The documents of changes, which come in the order of their keys. */
export function gathered(changes: readonly KeyedChange[], pause: Pause): PromiseOrValue<GatheredSource> {
  const source = new GatheredSource();
  let next = 0;
  const done = untilTrue(() => {
    for (let left = TURN; left > 0 && next < changes.length; ) left -= source.change(changes[next++] as KeyedChange);
    return next === changes.length || andThen(pause(), () => false);
  });
  return andThen(
    andThen(done, () => source.sort(pause)),
    () => source,
  );
}
