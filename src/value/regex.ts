/** Regular expressions, run by an engine whose time grows linearly with the text, whatever the pattern. */
import { RE2JS } from 're2js';
import { LruCache } from '../base/lru-cache.js';
import { failure } from '../errors/error.js';
import type { Regex } from './value.js';

const compiled = new LruCache<string, RE2JS>(256);
/** A pattern's automaton is many times as large as its text. */
const MAX_PATTERN = 4096;

/** Compiles a pattern, or remembers it. @throws TesseraError `regex_invalid` */
export function compileRegex(source: string): RE2JS {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  if (source.length > MAX_PATTERN)
    throw failure('regex_invalid', { reason: `it is longer than ${MAX_PATTERN} characters` });
  try {
    const pattern = RE2JS.compile(source);
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

/** Whether the pattern matches anywhere in the text. */
export function matchesRegex(regex: Regex, text: string): boolean {
  return compileRegex(regex.source).matcher(text).find();
}
