/** What a full-text index holds of each document, as a number that is compared with the record's own. */
import { Buffer } from 'node:buffer';
import { andThen, forEachInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { AT_ONCE } from '../../base/work/work.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import type { Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import type { DocumentTerms } from '../text/document-terms.js';
import { manifestKey, pendingPrefix } from './layout.js';
import { readManifest } from './manifest.js';
import { forEachNoted, type NotedTerms, notedLength, readChange } from './pending.js';
import { PostingBuffer } from './postings.js';
import { termText } from './term-bytes.js';
import { StoredSource } from './term-sources.js';
import { readSomeUnlisted } from './unlisted-segments.js';

/** The same for the same terms and occurrences, in any order. */
export function digestOf({ counts, length }: DocumentTerms): number {
  let digest = length;
  for (const [term, count] of counts) digest = added(digest, hashOf(term), count);
  return digest;
}

/** Checks run alone. */
function digestOfNoted(noted: NotedTerms): PromiseOrValue<number> {
  let digest = notedLength(noted);
  const done = forEachNoted(noted, AT_ONCE, (start, end, count) => {
    const term = Buffer.from(noted.buffer, noted.byteOffset + start, end - start).toString('utf8');
    digest = added(digest, hashOf(term), count);
  });
  return andThen(done, () => digest);
}

function added(digest: number, hash: number, count: number): number {
  return (digest + Math.imul(hash, 2 * count + 1)) >>> 0;
}

/** FNV-1a of UTF-16 code units. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export interface IndexDigests {
  /** By the encoded keys of records. */
  readonly digests: ReadonlyMap<string, number>;
  /** Whether the statistics of the manifest are those of its documents. */
  readonly agrees: boolean;
}

/** `undefined` where the index was never built. @throws TypeError where what is stored isn't that of an index */
export function readDigests(transaction: Transaction, index: string): PromiseOrValue<IndexDigests | undefined> {
  return andThen(transaction.get(manifestKey(index)), (stored): PromiseOrValue<IndexDigests | undefined> => {
    if (stored === undefined) return undefined;
    const { segments, documents: listed } = readManifest(stored);
    const digests = new Map<string, number>();
    let documents = listed;
    const read = andThen(readSomeUnlisted(transaction, index, Number.POSITIVE_INFINITY), (unlisted) => {
      for (const segment of unlisted) documents += segment.documents;
      return forEachInOrder([...segments, ...unlisted], ({ id }) =>
        andThen(StoredSource.open(transaction, index, id), (source) =>
          andThen(addSegment(source, digests), () => undefined),
        ),
      );
    });
    return andThen(read, () => {
      // What was noted as changed counts as it was folded.
      let folded = digests.size;
      const prefix = pendingPrefix(index);
      const noted = forEachBatch(transaction.scan(prefixRange(prefix)), (batch) => {
        const read = forEachInOrder(batch, ([key, value]) => {
          const { before, after } = readChange(value);
          const name = key.slice(prefix.length);
          if ((before !== undefined) !== digests.has(name)) folded = Number.NaN;
          return andThen(after && digestOfNoted(after), (digest) => {
            if (digest === undefined) digests.delete(name);
            else digests.set(name, digest);
            return undefined;
          });
        });
        return andThen(read, () => false);
      });
      return andThen(noted, () => ({ digests, agrees: folded === documents }));
    });
  });
}

function addSegment(source: StoredSource, digests: Map<string, number>): PromiseOrValue<void> {
  const sums = source.documents.map(({ length }) => length);
  const postings = new PostingBuffer();
  const read = untilTrue(() =>
    andThen(source.fill(), (isFilled) => {
      for (; source.term.isThere; source.advance()) {
        const hash = hashOf(termText(source.term));
        postings.count = 0;
        source.addTo(postings, undefined);
        for (let at = 0; at < postings.count; at++) {
          const document = postings.documents[at] as number;
          sums[document] = added(sums[document] as number, hash, postings.occurrences[at] as number);
        }
      }
      return !isFilled;
    }),
  );
  return andThen(read, () => {
    for (const [at, { key }] of source.documents.entries())
      if (!source.isDropped(at)) digests.set(key, (sums[at] as number) >>> 0);
  });
}
