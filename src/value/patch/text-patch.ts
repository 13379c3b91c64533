/**
 * Applies differences of texts in the patch format of diff-match-patch, which `change` operations hold and
 * `text-diff.ts` makes:
 *
 *     @@ -3,9 +3,9 @@        place (from 1) and length, before and after, in code points
 *      llo                   what stays, percent-encoded
 *     -world
 *     +there
 *
 * A hunk counts places in the text as the hunks before it have left it.
 */
import { failure } from '../../errors/error.js';
import { unitIndex } from '../code-points.js';

interface Hunk {
  /** Where it begins, in code points from 0. */
  readonly place: number;
  readonly before: string;
  readonly after: string;
}

/** Applies a patch. @throws TesseraError `patch_invalid` if it can't be read or the text isn't what it was made for */
export function patchText(text: string, patch: string): string {
  let result = text;
  for (const hunk of parse(patch)) result = applyHunk(result, hunk);
  return result;
}

/** Where the hunk says, or else at the nearest place before or behind it that holds the same text. */
function applyHunk(text: string, { place, before, after }: Hunk): string {
  const expected = unitIndex(text, place);
  const behind = text.indexOf(before, expected);
  const ahead = text.lastIndexOf(before, expected);
  if (behind < 0 && ahead < 0) throw invalid('The text is not the one that the change was made for');
  const nearer = behind < 0 || (ahead >= 0 && expected - ahead < behind - expected) ? ahead : behind;
  return text.slice(0, nearer) + after + text.slice(nearer + before.length);
}

const HEADER = /^@@ -(\d{1,15})(?:,(\d{1,15}))? \+\d{1,15}(?:,\d{1,15})? @@$/;
const MAX_HUNKS = 1000;

function parse(patch: string): Hunk[] {
  const hunks: { place: number; before: string; after: string }[] = [];
  for (const text of patch.split('\n')) {
    if (text === '') continue;
    const header = HEADER.exec(text);
    if (header !== null) {
      if (hunks.length === MAX_HUNKS) throw invalid(`A change has more than ${MAX_HUNKS} parts`);
      // An empty stretch is named by the place before it.
      hunks.push({ place: Number(header[1]) - (header[2] === '0' ? 0 : 1), before: '', after: '' });
      continue;
    }
    const hunk = hunks.at(-1);
    const mark = text[0];
    if (hunk === undefined || (mark !== ' ' && mark !== '-' && mark !== '+')) throw invalid('InvalidInput');
    const content = decode(text.slice(1));
    if (mark !== '+') hunk.before += content;
    if (mark !== '-') hunk.after += content;
  }
  return hunks;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('InvalidInput');
  }
}

function invalid(what: string): Error {
  return failure('patch_invalid', { what });
}
