/** The manifest of a full-text index: its segments, the oldest first, and statistics of what they hold. */
import type { Stored } from '../storage/contract.js';
import { isArray, isObject, objectFrom } from '../value/value.js';
import type { Statistics } from './bm25.js';

export interface SegmentEntry {
  readonly id: number;
  /** Those that have changed since among them. */
  readonly documents: number;
  readonly changed: number;
  /** Of its posting lists, roughly. */
  readonly bytes: number;
}

export interface Manifest extends Statistics {
  /** The id of the next segment; none is used twice. */
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
      const [id, count, changed, bytes] = (isArray(entry) ? entry : []).map(Number);
      return { id: id as number, documents: count as number, changed: changed as number, bytes: bytes as number };
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
