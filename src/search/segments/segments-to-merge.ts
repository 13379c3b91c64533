/** Which segments become one, so that there are never many, and each document is rewritten a few times only. */
import type { SegmentEntry } from './manifest.js';
import { MAX_DOCUMENTS } from './segment-writer.js';

/** Posting lists of segments that are made one, in bytes. */
const MAX_BYTES = 8 * 2 ** 20;

export interface ChosenSegments {
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
