/** The manifest of a full-text index: its segments, and statistics of what they hold. */
import type { Stored } from '../../storage/contract.js';
import { isArray, isObject, objectFrom } from '../../value/value.js';
import type { Statistics } from './bm25.js';
import type { SegmentId } from './layout.js';

export interface SegmentEntry {
  readonly id: SegmentId;
  /** Those that have changed since among them. */
  readonly documents: number;
  readonly changed: number;
  /** Of its posting lists, roughly. */
  readonly bytes: number;
}

export interface Manifest extends Statistics {
  /** The number of the next segment; none is used twice. */
  readonly next: number;
  readonly segments: readonly SegmentEntry[];
}

export const EMPTY_MANIFEST: Manifest = { next: 1, documents: 0, terms: 0, segments: [] };

export function readManifest(stored: Stored | undefined): Manifest {
  if (!isObject(stored)) return EMPTY_MANIFEST;
  const { next, documents, terms, segments } = stored;
  const entries = isArray(segments) ? segments : [];
  return {
    next: Number(next),
    documents: Number(documents),
    terms: Number(terms),
    segments: entries.map((entry) => {
      const [id, count, changed, bytes] = isArray(entry) ? entry : [];
      return {
        id: typeof id === 'string' ? id : Number(id),
        documents: Number(count),
        changed: Number(changed),
        bytes: Number(bytes),
      };
    }),
  };
}

export function storeManifest({ next, documents, terms, segments }: Manifest): Stored {
  return objectFrom([
    ['next', next],
    ['documents', documents],
    ['terms', terms],
    ['segments', segments.map(({ id, documents: count, changed, bytes }) => [id, count, changed, bytes])],
  ]);
}
