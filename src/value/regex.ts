/** Regular expressions, run by an engine whose time grows linearly with the text, whatever the pattern. */
import type { Matcher, RE2JS } from 're2js';
import { lazyLibrary } from '../base/lazy.js';
import { TwoGenerationCache } from '../base/two-generation-cache.js';
import { failure } from '../errors/error.js';
import { unfoldedSize } from './regex-size.js';
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
