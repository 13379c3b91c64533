/** Long texts, piece by piece. */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';

/** Code units of a piece: about a millisecond's work where a character takes some tens of nanoseconds. */
const PIECE = 2 ** 13;

/** Calls `take` for each piece of a text, with a checkpoint in between. No pair of surrogates is cut. */
export function forEachPiece(text: string, work: Work, take: (piece: string) => void): PromiseOrValue<void> {
  if (text.length <= PIECE) return take(text);
  let from = 0;
  return untilTrue(() => {
    let to = Math.min(from + PIECE, text.length);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to++;
    take(text.slice(from, to));
    from = to;
    return from === text.length || andThen(work.checkpoint(), () => false);
  });
}

/** Maps a text piece by piece: for functions that act on each character by itself. */
export function mapPieces(text: string, work: Work, map: (piece: string) => string): PromiseOrValue<string> {
  if (text.length <= PIECE) return map(text);
  const mapped: string[] = [];
  const done = forEachPiece(text, work, (piece) => {
    mapped.push(map(piece));
  });
  return andThen(done, () => mapped.join(''));
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}
