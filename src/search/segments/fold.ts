/**
 * Folds what is pending into segments. The changes make a new one, together with those of the earlier ones that aren't
 * much larger, so that there are never more than some, and each document is rewritten a few times only.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import type { Statistics } from './bm25.js';
import { type GatheredSource, gathered } from './gathered-source.js';
import { manifestKey, pendingPrefix, SegmentKeys, segmentPrefix, unlistedPrefix } from './layout.js';
import { type Manifest, readManifest, type SegmentEntry, storeManifest } from './manifest.js';
import { writeSegment } from './merge.js';
import { type KeyedChange, notedLength, readChange } from './pending.js';
import { WINDOW } from './postings.js';
import { lastUpTo, readChanged, readHead, readKeys, withMarks } from './segment-reader.js';
import { MAX_DOCUMENTS } from './segment-writer.js';
import { StoredSource, type TermSource } from './term-sources.js';
import { readSomeUnlisted, type UnlistedSegment } from './unlisted-segments.js';

export interface FoldBounds {
  /** So many changes are folded together, and no fewer, unless there are so many segments. */
  readonly least: number;
  readonly most: number;
  /** So many segments that aren't listed are worth it. */
  readonly segments: number;
}

/** Segments that are listed together. */
const LISTED = 64;

/**
 * Folds what is pending, or a part of it, and lists the segments that writers have made.
 * @returns whether there may be more
 */
export function foldPending(
  transaction: Transaction,
  index: string,
  bounds: FoldBounds,
  work: Work,
): PromiseOrValue<boolean> {
  return andThen(readSomeUnlisted(transaction, index, LISTED), (unlisted) => {
    // Notes concern documents of all segments, which have to be listed before.
    const isFull = unlisted.length === LISTED;
    return andThen(isFull ? [] : readNotes(transaction, index, bounds.most, work), (changes) => {
      if (changes.length < bounds.least && unlisted.length < bounds.segments) return false;
      const folded = andThen(transaction.get(manifestKey(index)), (stored) =>
        new Fold(transaction, index, withUnlisted(readManifest(stored), unlisted), work).run(changes),
      );
      return andThen(folded, () => {
        for (const { id } of unlisted) transaction.delete(unlistedPrefix(index) + id);
        for (const { key } of changes) transaction.delete(pendingPrefix(index) + key);
        return isFull || changes.length === bounds.most;
      });
    });
  });
}

/** In the order of their keys. What is noted of other records meanwhile is for the next fold. */
function readNotes(transaction: Transaction, index: string, most: number, work: Work): PromiseOrValue<KeyedChange[]> {
  const changes: KeyedChange[] = [];
  const prefix = pendingPrefix(index);
  const cursor = transaction.scan(prefixRange(prefix), { limit: most, foundOnly: true });
  const read = forEachBatch(cursor, (batch) => {
    for (const [key, stored] of batch) changes.push({ ...readChange(stored), key: key.slice(prefix.length) });
    return andThen(work.checkpoint(), () => false);
  });
  return andThen(read, () => changes);
}

function withUnlisted(manifest: Manifest, unlisted: readonly UnlistedSegment[]): Manifest {
  let { documents, terms } = manifest;
  for (const segment of unlisted) {
    documents += segment.documents;
    terms += segment.terms;
  }
  return { ...manifest, documents, terms, segments: [...manifest.segments, ...unlisted] };
}

/** Adds documents that were in no segment before. */
export function addDocuments(
  transaction: Transaction,
  index: string,
  source: GatheredSource,
  work: Work,
): PromiseOrValue<void> {
  return andThen(transaction.get(manifestKey(index)), (stored) => {
    const manifest = readManifest(stored);
    return andThen(source.sort(work), () => new Fold(transaction, index, manifest, work).add(source));
  });
}

class Fold {
  constructor(
    private readonly transaction: Transaction,
    private readonly index: string,
    private readonly manifest: Manifest,
    private readonly work: Work,
  ) {}

  /** Adds the documents of changes, which are in the order of their keys, in place of what segments hold of them. */
  run(changes: readonly KeyedChange[]): PromiseOrValue<void> {
    if (changes.length === 0) return this.#merge();
    const replaced = changes.flatMap(({ before, key }) => (before === undefined ? [] : key));
    return andThen(this.#mark(replaced), (segments) =>
      andThen(gathered(changes, this.work), (source) => {
        const left = { documents: 0, terms: 0 };
        for (const { before } of changes) {
          if (before === undefined) continue;
          left.documents++;
          left.terms += notedLength(before);
        }
        return this.#addTo(segments, source, left);
      }),
    );
  }

  add(source: GatheredSource): PromiseOrValue<void> {
    return this.#addTo(this.manifest.segments, source, { documents: 0, terms: 0 });
  }

  /** Merges what there is, if it is time to. */
  #merge(): PromiseOrValue<void> {
    const { kept, merged } = toMerge(this.manifest.segments, 0);
    if (merged.length === 0) return this.#store(kept, this.manifest);
    return andThen(this.#write(merged), (made) => this.#store([...kept, made], this.manifest));
  }

  /** Adds a segment; `left` is what those before it have lost. */
  #addTo(segments: readonly SegmentEntry[], source: GatheredSource, left: Statistics): PromiseOrValue<void> {
    const { kept, merged } = toMerge(segments, source.documents.length);
    return andThen(this.#write(merged, source), (made) => {
      const { documents, terms } = this.manifest;
      this.#store([...kept, made], {
        documents: documents + source.documents.length - left.documents,
        terms: terms + source.documents.reduce((sum, { length }) => sum + length, 0) - left.terms,
      });
    });
  }

  #store(segments: readonly SegmentEntry[], { documents, terms }: Statistics): void {
    const manifest = { next: this.manifest.next + 1, documents, terms, segments };
    this.transaction.put(manifestKey(this.index), storeManifest(manifest));
  }

  /** Marks the documents of earlier segments that have changed; answers the segments as they are then. */
  #mark(keys: readonly string[]): PromiseOrValue<readonly SegmentEntry[]> {
    if (keys.length === 0) return this.manifest.segments;
    const marked: SegmentEntry[] = [];
    const done = forEachInOrder(this.manifest.segments, (segment) =>
      andThen(this.#markIn(segment, keys), (fresh) => {
        marked.push(fresh);
        return andThen(this.work.checkpoint(), () => false);
      }),
    );
    return andThen(done, () => marked);
  }

  #markIn(segment: SegmentEntry, keys: readonly string[]): PromiseOrValue<SegmentEntry> {
    const { transaction } = this;
    const names = new SegmentKeys(this.index, segment.id);
    return andThen(transaction.getMany([names.head, names.changed]), ([stored, marks]) => {
      const head = readHead(stored);
      const byWindow = new Map<number, string[]>();
      for (const key of keys) {
        const window = lastUpTo(head.firstKeys, key);
        if (window >= 0) byWindow.set(window, [...(byWindow.get(window) ?? []), key]);
      }
      const windows = [...byWindow.keys()];
      return andThen(transaction.getMany(windows.map((window) => names.keys(window))), (pages) => {
        const before = readChanged(marks, head.documents);
        const found: number[] = [];
        for (const [at, window] of windows.entries()) {
          const here = readKeys(pages[at] as Uint8Array);
          for (const key of byWindow.get(window) ?? []) {
            const place = lastUpTo(here, key);
            if (here[place] === key) found.push(window * WINDOW + place);
          }
        }
        if (found.length === 0) return segment;
        const bits = withMarks(before, found);
        transaction.put(names.changed, bits);
        return { ...segment, changed: countOf(bits) };
      });
    });
  }

  /** Writes what segments hold, and what was gathered, as one segment. */
  #write(merged: readonly SegmentEntry[], fresh?: GatheredSource): PromiseOrValue<SegmentEntry> {
    const { transaction, index, work, manifest } = this;
    const sources: TermSource[] = [];
    const opened = forEachInOrder(merged, ({ id }) =>
      andThen(StoredSource.open(transaction, index, id), (source) => {
        sources.push(source);
        return andThen(work.checkpoint(), () => false);
      }),
    );
    return andThen(opened, () => {
      if (fresh !== undefined) sources.push(fresh);
      const put = (key: Key, value: Stored) => transaction.put(key, value);
      const keys = new SegmentKeys(index, manifest.next);
      return andThen(writeSegment(sources, keys, put, work), (made) =>
        andThen(this.#remove(merged), () => ({ id: manifest.next, changed: 0, ...made })),
      );
    });
  }

  #remove(segments: readonly SegmentEntry[]): PromiseOrValue<void> {
    return forEachInOrder(segments, ({ id }) =>
      andThen(this.transaction.deleteRange(prefixRange(segmentPrefix(this.index, id)), this.work), () => false),
    );
  }
}

function countOf(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) for (let rest = byte; rest > 0; rest &= rest - 1) count++;
  return count;
}

// Which segments become one, so that there are never many, and each document is rewritten a few times only.

/** Posting lists of segments that are made one, in bytes. */
const MAX_BYTES = 8 * 2 ** 20;

interface ChosenSegments {
  readonly kept: readonly SegmentEntry[];
  readonly merged: readonly SegmentEntry[];
}

/** So many segments of about the same size become one. */
const FAN = 4;

/** How large a segment is, by powers of `FAN`. */
function levelOf(documents: number): number {
  return Math.floor(Math.log(Math.max(documents, SMALLEST)) / Math.log(FAN));
}

/** Documents of those that count as the smallest: folds of single writes have about as many. */
const SMALLEST = 256;

/**
 * Which segments are merged, together with a new one of so many documents (0: there is none): those at least half of
 * whose documents have changed; and all up to a size of which there are `FAN`, the new one among them. So a document is
 * rewritten once for each power of `FAN`, and no more than half of a segment is void.
 */
export function toMerge(segments: readonly SegmentEntry[], count: number): ChosenSegments {
  let merged: SegmentEntry[] = [];
  let kept: SegmentEntry[] = [];
  for (const segment of segments) {
    const isStale = 2 * segment.changed >= segment.documents;
    (isStale && mayBeOne([...merged, segment], count) ? merged : kept).push(segment);
  }
  kept.sort((a, b) => left([a]) - left([b]));
  for (;;) {
    const chosen = upToFullLevel(kept, merged, count);
    if (chosen === 0) return { kept, merged };
    merged = [...merged, ...kept.slice(0, chosen)];
    kept = kept.slice(chosen);
  }
}

/** How many of the smallest segments are merged next: up to the first size of which there are enough. */
function upToFullLevel(kept: readonly SegmentEntry[], merged: readonly SegmentEntry[], count: number): number {
  const size = count + left(merged);
  const own = size > 0 ? levelOf(size) : -1;
  let level = -1;
  let alike = 0;
  for (let at = 0; at <= kept.length; at++) {
    const segment = kept[at];
    const next = segment === undefined ? Number.POSITIVE_INFINITY : levelOf(left([segment]));
    if (next !== level) {
      if (alike >= FAN) return at;
      level = next;
      alike = own === next ? 1 : 0;
    }
    if (segment === undefined) break;
    if (!mayBeOne([...merged, ...kept.slice(0, at + 1)], count)) return alike >= FAN ? at : 0;
    alike++;
  }
  return 0;
}

/** Whether segments may become one with so many documents more. */
function mayBeOne(segments: readonly SegmentEntry[], count: number): boolean {
  const bytes = segments.reduce((sum, each) => sum + (each.bytes * left([each])) / Math.max(each.documents, 1), 0);
  return count + left(segments) <= MAX_DOCUMENTS && bytes <= MAX_BYTES;
}

/** Documents that haven't changed since. */
function left(segments: readonly SegmentEntry[]): number {
  return segments.reduce((sum, { documents, changed }) => sum + documents - changed, 0);
}
