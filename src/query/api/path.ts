/** Paths of endpoints: `/users/:id<int>/files/*rest`. */
import { failure, TesseraError } from '../../errors/error.js';
import { parseRecordId, parseType } from '../../language/parse.js';
import { cast } from '../../value/cast.js';
import { typeText } from '../../value/text/type-text.js';
import type { Type } from '../../value/type.js';
import { newObject, type ObjectValue, type Value } from '../../value/value.js';

export type PathSegment =
  | { readonly kind: 'fixed'; readonly text: string }
  | { readonly kind: 'param'; readonly name: string; readonly type: Type | undefined }
  /** Matches the rest of the path; only as the last segment. */
  | { readonly kind: 'rest'; readonly name: string };

export type ApiPath = readonly PathSegment[];

const MAX_LENGTH = 4_096;

/**
 * One segment with the slashes before it: a name with `:` or `*`, perhaps a type, or plain characters, of which `\`
 * escapes the first.
 */
const SEGMENT = /\/+(?:([:*])([\w-]*)|\\?([^/<>*?#%\s\\[\]{}|^`"'\u0080-\uffff]*))/y;

/** @throws TesseraError `api_path` */
export function parseApiPath(text: string): ApiPath {
  if (text === '') throw malformed('Path cannot be empty');
  if (text.length > MAX_LENGTH) throw malformed(`A path has no more than ${MAX_LENGTH} characters`);
  const segments: PathSegment[] = [];
  let at = 0;
  while (at < text.length) {
    if (segments.at(-1)?.kind === 'rest') throw malformed('Path not finished');
    if (text[at] !== '/') throw malformed('Segment should start with /');
    SEGMENT.lastIndex = at;
    const [whole, sigil, name = '', fixed = ''] = SEGMENT.exec(text) as RegExpExecArray;
    at += (whole as string).length;
    if (sigil === undefined) {
      if (fixed !== '') segments.push({ kind: 'fixed', text: fixed });
      else if (at < text.length) throw malformed('Path not finished');
      continue;
    }
    if (name === '') throw malformed('Expected a name or content for this segment');
    if (sigil === '*') {
      segments.push({ kind: 'rest', name });
      continue;
    }
    const end = text[at] === '<' ? typeEnd(text, at) : at;
    segments.push({ kind: 'param', name, type: end === at ? undefined : typeIn(text.slice(at + 1, end - 1)) });
    at = end;
  }
  return segments;
}

/** The index behind the bracket that closes the one at `start`. */
function typeEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '<') depth++;
    else if (text[at] === '>' && --depth === 0) return at + 1;
  }
  throw malformed('Kind segment did not close');
}

function typeIn(text: string): Type {
  try {
    return parseType(text);
  } catch (error) {
    if (error instanceof TesseraError) throw malformed(error.message);
    throw error;
  }
}

function malformed(reason: string): TesseraError {
  return failure('api_path', { reason });
}

/** The path as DEFINE API prints it: `/users/:id<int>`; `/` for an empty one. */
export function apiPathText(path: ApiPath): string {
  return path.length === 0 ? '/' : path.map((segment) => `/${segmentText(segment)}`).join('');
}

function segmentText(segment: PathSegment): string {
  switch (segment.kind) {
    case 'fixed':
      return /^[:*]/.test(segment.text) ? `\\${segment.text}` : segment.text;
    case 'param':
      return `:${segment.name}${segment.type === undefined ? '' : `<${typeText(segment.type)}>`}`;
    case 'rest':
      return `*${segment.name}`;
  }
}

/** The parts of a requested path. @throws TesseraError `api_path` */
export function splitPath(text: string): string[] {
  if (!text.startsWith('/')) throw malformed('Segment should start with /');
  return text.split('/').filter((part) => part !== '');
}

/** The params of a path that matches. */
export function matchPath(path: ApiPath, parts: readonly string[]): ObjectValue | undefined {
  const params = newObject();
  for (const [index, segment] of path.entries()) {
    if (segment.kind === 'rest') {
      if (parts.length <= index) return undefined;
      params[segment.name] = parts.slice(index);
      return params;
    }
    const part = parts[index];
    if (part === undefined) return undefined;
    if (segment.kind === 'fixed') {
      if (segment.text !== part) return undefined;
      continue;
    }
    const value = segment.type === undefined ? part : castParam(part, segment.type);
    if (value === undefined) return undefined;
    params[segment.name] = value;
  }
  return path.length === parts.length ? params : undefined;
}

function castParam(text: string, type: Type): Value {
  try {
    return cast(text, type, parseRecordId);
  } catch (error) {
    if (error instanceof TesseraError) return undefined;
    throw error;
  }
}

const RANKS = { fixed: 0, param: 1, rest: 2 } as const;

/** Orders paths that may both match: the more specific one, from the left, comes first. */
export function bySpecificity(left: ApiPath, right: ApiPath): number {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = rankAt(left, index) - rankAt(right, index);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A param with a type is more specific than one without. */
function rankAt(path: ApiPath, index: number): number {
  const segment = path[index];
  if (segment === undefined) return -1;
  return RANKS[segment.kind] + (segment.kind === 'param' && segment.type === undefined ? 0.5 : 0);
}
