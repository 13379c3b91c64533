/** Regular expressions, run by an engine whose time grows linearly with the text, whatever the pattern. */
import type { Matcher, RE2JS } from 're2js';
import { lazyLibrary } from '../base/lazy.js';
import { TwoGenerationCache } from '../base/two-generation-cache.js';
import { failure } from '../errors/error.js';
import type { Regex } from './value.js';

const library = lazyLibrary<typeof import('re2js')>('re2js');
/** Bytes of the automata used last; at most twice as many are kept. */
const KEPT_BYTES = 8 * 2 ** 20;
/** Bytes of an instruction of an automaton, measured. */
const INSTRUCTION_BYTES = 160;
const compiled = new TwoGenerationCache<string, RE2JS>(
  KEPT_BYTES,
  (source, pattern) => source.length + INSTRUCTION_BYTES * (pattern.programSize() + 8),
);
/** A pattern's automaton is many times as large as its text. */
const MAX_PATTERN = 4096;
/** `(a{1,900}){1,900}` is compiled as if each `a` were written. */
const MAX_UNFOLDED = 20_000;

/** Compiles a pattern, or remembers it. @throws TesseraError `regex_invalid` */
export function compileRegex(source: string): RE2JS {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  if (source.length > MAX_PATTERN)
    throw failure('regex_invalid', { reason: `it is longer than ${MAX_PATTERN} characters` });
  if (unfoldedSize(source) > MAX_UNFOLDED)
    throw failure('regex_invalid', { reason: `its repetitions make more than ${MAX_UNFOLDED} characters of it` });
  try {
    const pattern = library().RE2JS.compile(source);
    compiled.set(source, pattern);
    return pattern;
  } catch (error) {
    throw failure('regex_invalid', { reason: error instanceof Error ? error.message : 'syntax' });
  }
}

/** Whether a text is a pattern. */
export function isPattern(source: string): boolean {
  try {
    compileRegex(source);
    return true;
  } catch {
    return false;
  }
}

/**
 * Maximum steps of one search: the characters of the text times the instructions of the pattern, of which
 * `{1,900}` makes many. It is some milliseconds at worst.
 */
const MAX_STEPS = 2 ** 18;

/** The matcher of a pattern in a text. @throws TesseraError `regex_too_costly` */
export function matcherOf(pattern: RE2JS, text: string): Matcher {
  if (pattern.programSize() * text.length > MAX_STEPS) throw failure('regex_too_costly', { length: text.length });
  return pattern.matcher(text);
}

/** Whether the pattern matches anywhere in the text. */
export function matchesRegex(regex: Regex, text: string): boolean {
  return matcherOf(compileRegex(regex.source), text).find();
}

// The size of a regular expression with its counted repetitions expanded, as its compiler does.

/** A group that hasn't ended: what it is so far, and its last part, which a repetition would repeat. */
interface Group {
  size: number;
  last: number;
}

const COUNTED = /\{(\d{1,9})(,(\d{0,9}))?\}/y;

/**
 * An upper bound on the characters of `source` with `x{2,4}` written as `xx` and two optional `x`, whatever is nested.
 * It needs no valid pattern, and takes one pass.
 */
export function unfoldedSize(source: string): number {
  const groups: Group[] = [{ size: 0, last: 0 }];
  for (let at = 0; at < source.length; ) {
    const group = groups[groups.length - 1] as Group;
    const first = source[at];
    COUNTED.lastIndex = at;
    const counted = first === '{' ? COUNTED.exec(source) : null;
    if (counted !== null) {
      const [text, least, range, most] = counted;
      const times = Math.max(1, Number(range === undefined || most === '' ? least : most));
      group.size += group.last * (times - 1);
      group.last *= times;
      at += text.length;
    } else if (first === '(') {
      groups.push({ size: 1, last: 0 });
      at++;
    } else if (first === ')' && groups.length > 1) {
      groups.pop();
      const outer = groups[groups.length - 1] as Group;
      outer.size += group.size;
      outer.last = group.size;
      at++;
    } else {
      const length = first === '[' ? classLength(source, at) : first === '\\' ? escapeLength(source, at) : 1;
      group.size++;
      // What may be left out or come again is one with its mark.
      group.last = first === '*' || first === '+' || first === '?' ? group.last + 1 : 1;
      at += length;
    }
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

/** Of `[…]`, in which neither brackets that are escaped nor one at the beginning are its end. */
function classLength(source: string, start: number): number {
  let at = start + 1;
  if (source[at] === '^') at++;
  if (source[at] === ']') at++;
  while (at < source.length && source[at] !== ']') {
    const named = source.startsWith('[:', at) ? source.indexOf(':]', at) : -1;
    at = named < 0 ? at + (source[at] === '\\' ? 2 : 1) : named + 2;
  }
  return at + 1 - start;
}

/**
 * Of an escape with what stands in braces behind it, as in `\p{Greek}`; of others it is two, and what follows counts
 * for itself.
 */
function escapeLength(source: string, start: number): number {
  const braced = /[pPx]\{[^}]*\}/y;
  braced.lastIndex = start + 1;
  return 1 + (braced.exec(source)?.[0].length ?? 1);
}
