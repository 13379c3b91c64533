/**
 * Differences of texts in the patch format of diff-match-patch, which `change` operations hold:
 *
 *     @@ -3,9 +3,9 @@        place (from 1) and length, before and after, in code points
 *      llo                   what stays, percent-encoded
 *     -world
 *     +there
 *
 * A difference is written as one hunk, from the first place that differs to the last. Patches of several hunks are read, too.
 */
import { failure } from '../errors/error.js';

/** Code points around a change are written along, in steps of so many until they are found in one place only, and one step more. */
const CONTEXT = 4;
/** What is looked for, to tell whether it is in one place only, gets no longer than by one step beyond this. */
const MAX_SOUGHT = 24;

/** The patch that turns one text into another; the two must differ. */
export function diffText(before: string, after: string): string {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const removed = before.slice(start, before.length - end);
  const context = contextOf(before, start, removed);
  const lead = lastPoints(before.slice(0, start), context);
  const tail = firstPoints(before.slice(before.length - end), context);
  const added = after.slice(start, after.length - end);
  const place = pointCount(before.slice(0, start)) - pointCount(lead);
  const around = pointCount(lead) + pointCount(tail);
  const span = (changed: string) => {
    const length = around + pointCount(changed);
    return `${length === 0 ? place : place + 1},${length}`;
  };
  const lines = [line(' ', lead), line('-', removed), line('+', added), line(' ', tail)];
  return `@@ -${span(removed)} +${span(added)} @@\n${lines.join('')}`;
}

/** As diff-match-patch chooses it. */
function contextOf(text: string, start: number, removed: string): number {
  let context = 0;
  let sought = removed;
  while (sought.length < MAX_SOUGHT && text.indexOf(sought) !== text.lastIndexOf(sought)) {
    context += CONTEXT;
    const lead = lastPoints(text.slice(0, start), context);
    sought = lead + removed + firstPoints(text.slice(start + removed.length), context);
  }
  return context + CONTEXT;
}

function line(mark: string, text: string): string {
  return text === '' ? '' : `${mark}${encode(text)}\n`;
}

/** As `encodeURI` does it, but for what stays readable within a line. */
function encode(text: string): string {
  return encodeURI(text.replace(LONE_SURROGATE, '\ufffd')).replaceAll('%20', ' ');
}

const LONE_SURROGATE = /\p{Cs}/gu;

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

// ─── Code points ───

/** How many UTF-16 units two texts have in common at their start, without cutting a pair. */
function commonStart(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length > 0 && isHighSurrogate(a.charCodeAt(length - 1)) ? length - 1 : length;
}

/** The same at their end, not reaching into the first `start` units. */
function commonEnd(a: string, b: string, start: number): number {
  const limit = Math.min(a.length, b.length) - start;
  let length = 0;
  while (length < limit && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++;
  return length > 0 && isLowSurrogate(a.charCodeAt(a.length - length)) ? length - 1 : length;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

function pointCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) if (isLowSurrogate(text.charCodeAt(index))) count--;
  return count;
}

function firstPoints(text: string, count: number): string {
  return text.slice(0, unitIndex(text, count));
}

function lastPoints(text: string, count: number): string {
  let start = text.length;
  for (let point = 0; point < count && start > 0; point++) start -= isLowSurrogate(text.charCodeAt(start - 1)) ? 2 : 1;
  return text.slice(start);
}

/** The index in UTF-16 units of a code point, at most the length of the text. */
function unitIndex(text: string, points: number): number {
  let index = 0;
  for (let point = 0; point < points && index < text.length; point++) {
    index += isHighSurrogate(text.charCodeAt(index)) ? 2 : 1;
  }
  return Math.min(index, text.length);
}
