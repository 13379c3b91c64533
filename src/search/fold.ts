/**
 * Folds what is pending into segments. The changes make a new one, together with those of the earlier ones that aren't
 * much larger, so that there are never more than some, and each document is rewritten a few times only.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { prefixRange } from '../catalog/keys/key-bytes.js';
import type { Key, Stored, Transaction } from '../storage/contract.js';
import { forEachBatch } from '../storage/cursor.js';
import type { Pause } from './analyzer.js';
import type { Statistics } from './bm25.js';
import { type GatheredSource, gathered } from './gathered-source.js';
import { manifestKey, pendingPrefix, SegmentKeys, segmentPrefix } from './layout.js';
import { type Manifest, readManifest, type SegmentEntry, storeManifest } from './manifest.js';
import { mergeDocuments, mergeTerms } from './merge.js';
import { type KeyedChange, notedLength, readChange } from './pending.js';
import { WINDOW } from './postings.js';
import { lastUpTo, readChanged, readHead, readKeys, withMarks } from './segment-reader.js';
import { SegmentWriter } from './segment-writer.js';
import { toMerge } from './segments-to-merge.js';
import { StoredSource } from './term-sources.js';

/**
 * Folds what is pending, or a part of it.
 * @returns whether there may be more
 */
export function foldPending(
  transaction: Transaction,
  index: string,
  bounds: { readonly least: number; readonly most: number },
  pause: Pause,
): PromiseOrValue<boolean> {
  const changes: KeyedChange[] = [];
  const prefix = pendingPrefix(index);
  // What is noted of other records meanwhile is for the next fold.
  const cursor = transaction.scan(prefixRange(prefix), { limit: bounds.most, foundOnly: true });
  const read = forEachBatch(cursor, (batch) => {
    for (const [key, stored] of batch) changes.push({ ...readChange(stored), key: key.slice(prefix.length) });
    return andThen(pause(), () => false);
  });
  return andThen(read, () => {
    if (changes.length < bounds.least) return false;
    return andThen(addSegment(transaction, index, changes, pause), () => {
      for (const { key } of changes) transaction.delete(prefix + key);
      return changes.length === bounds.most;
    });
  });
}

/** Adds changes, in the order of their keys, as a segment. */
function addSegment(
  transaction: Transaction,
  index: string,
  changes: readonly KeyedChange[],
  pause: Pause,
): PromiseOrValue<void> {
  return andThen(transaction.get(manifestKey(index)), (stored) => {
    const manifest = readManifest(stored);
    return new Fold(transaction, index, manifest, pause).run(changes);
  });
}

/** Adds documents that were in no segment before. */
export function addDocuments(
  transaction: Transaction,
  index: string,
  source: GatheredSource,
  pause: Pause,
): PromiseOrValue<void> {
  return andThen(transaction.get(manifestKey(index)), (stored) => {
    const manifest = readManifest(stored);
    return andThen(source.sort(pause), () => new Fold(transaction, index, manifest, pause).add(source));
  });
}

class Fold {
  constructor(
    private readonly transaction: Transaction,
    private readonly index: string,
    private readonly manifest: Manifest,
    private readonly pause: Pause,
  ) {}

  run(changes: readonly KeyedChange[]): PromiseOrValue<void> {
    const replaced = changes.flatMap(({ before, key }) => (before === undefined ? [] : key));
    return andThen(this.#mark(replaced), (segments) =>
      andThen(gathered(changes, this.pause), (source) => {
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

  /** Adds a segment; `left` is what those before it have lost. */
  #addTo(segments: readonly SegmentEntry[], source: GatheredSource, left: Statistics): PromiseOrValue<void> {
    const { kept, merged } = toMerge(segments, source.documents.length);
    return andThen(this.#write(source, merged), (made) => {
      const { next, documents, terms } = this.manifest;
      const manifest = {
        next: next + 1,
        documents: documents + source.documents.length - left.documents,
        terms: terms + source.documents.reduce((sum, { length }) => sum + length, 0) - left.terms,
        segments: [...kept, made],
      };
      this.transaction.put(manifestKey(this.index), storeManifest(manifest));
    });
  }

  /** Marks the documents of earlier segments that have changed; answers the segments as they are then. */
  #mark(keys: readonly string[]): PromiseOrValue<readonly SegmentEntry[]> {
    if (keys.length === 0) return this.manifest.segments;
    const marked: SegmentEntry[] = [];
    const done = forEachInOrder(this.manifest.segments, (segment) =>
      andThen(this.#markIn(segment, keys), (fresh) => {
        marked.push(fresh);
        return andThen(this.pause(), () => false);
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

  /** Writes what was gathered and what segments hold as one segment. */
  #write(fresh: GatheredSource, merged: readonly SegmentEntry[]): PromiseOrValue<SegmentEntry> {
    const { transaction, index, pause, manifest } = this;
    const sources: StoredSource[] = [];
    const opened = forEachInOrder(merged, ({ id }) =>
      andThen(StoredSource.open(transaction, index, id), (source) => {
        sources.push(source);
        return andThen(pause(), () => false);
      }),
    );
    return andThen(opened, () => {
      const all = [...sources, fresh];
      return andThen(mergeDocuments(all, pause), (documents) => {
        const keys = new SegmentKeys(index, manifest.next);
        const put = (key: Key, value: Stored) => transaction.put(key, value);
        const writer = new SegmentWriter(keys, documents.documents, put);
        return andThen(mergeTerms(all, documents, writer, pause), () => {
          const bytes = writer.finish();
          return andThen(this.#remove(merged), () => ({
            id: manifest.next,
            documents: documents.documents.length,
            changed: 0,
            bytes,
          }));
        });
      });
    });
  }

  #remove(segments: readonly SegmentEntry[]): PromiseOrValue<void> {
    return forEachInOrder(segments, ({ id }) =>
      andThen(this.transaction.deleteRange(prefixRange(segmentPrefix(this.index, id))), () => false),
    );
  }
}

function countOf(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) for (let rest = byte; rest > 0; rest &= rest - 1) count++;
  return count;
}
