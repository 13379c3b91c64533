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
 * Which segments are merged with a new one of so many documents: those at least half of whose documents have changed;
 * and from the youngest on those that are no larger than what they become one with, once there are `FAN` with it. So a
 * document is rewritten once for each power of `FAN`, and no more than half of a segment is void.
 */
export function toMerge(segments: readonly SegmentEntry[], count: number): ChosenSegments {
  let merged: SegmentEntry[] = [];
  let kept: SegmentEntry[] = [];
  for (const segment of segments) {
    const isStale = 2 * segment.changed >= segment.documents;
    (isStale && mayBeOne([...merged, segment], count) ? merged : kept).push(segment);
  }
  for (;;) {
    const level = levelOf(count + left(merged));
    let like: SegmentEntry[] = [];
    for (let at = kept.length - 1; at >= 0; at--) {
      const more = [kept[at] as SegmentEntry, ...like];
      if (levelOf(left(more.slice(0, 1))) > level || !mayBeOne([...merged, ...more], count)) break;
      like = more;
    }
    if (like.length + 1 < FAN) return { kept, merged };
    kept = kept.slice(0, -like.length);
    merged = [...like, ...merged];
  }
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
