/** Conditional requests for one representation (RFC 9110, section 13). */
import type { IncomingHttpHeaders } from 'node:http';

/** The version of a file. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
  /** Whole seconds since 1970. */
  readonly modified: number;
}

/** What a request for a file is to be answered with: the file, 304, or 412. */
export type Verdict = 'send' | 'not-modified' | 'failed';

/**
 * The order of section 13.2.2, for GET and HEAD. A date that isn't one is ignored, as is If-Modified-Since where there
 * is an If-None-Match, and If-Unmodified-Since where there is an If-Match.
 */
export function judgeConditions(headers: IncomingHttpHeaders, { etag, modified }: Validators): Verdict {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!hasTag(ifMatch, etag, 'strong')) return 'failed';
  } else {
    const date = readDate(headers['if-unmodified-since']);
    if (date !== undefined && modified > date) return 'failed';
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) return hasTag(ifNoneMatch, etag, 'weak') ? 'not-modified' : 'send';
  const date = readDate(headers['if-modified-since']);
  return date !== undefined && modified <= date ? 'not-modified' : 'send';
}

/** Whether a range is still of this version (If-Range, section 13.1.5): by a strong tag, or by exactly its date. */
export function isRangeCurrent(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const given = headers['if-range'];
  if (given === undefined) return true;
  const text = String(given).trim();
  if (text.startsWith('"') || text.startsWith('W/')) return text === etag;
  return readDate(text) === modified;
}

const TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** `*`, or a list of tags. The strong comparison takes no weak ones (section 8.8.3.2). */
function hasTag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  for (const [, weak, tag] of list.matchAll(TAG)) {
    if (tag === etag && (comparison === 'weak' || weak === undefined)) return true;
  }
  return false;
}

/** The tag in If-Match of a change that must meet exactly one version; `undefined` for several, or weak ones. */
export function onlyTag(list: string): string | undefined {
  const tags = [...list.matchAll(TAG)];
  const [first] = tags;
  return tags.length === 1 && first?.[1] === undefined ? first?.[2] : undefined;
}

const IMF_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Seconds since 1970 of an HTTP date in its preferred form (section 5.6.7). */
function readDate(text: string | undefined): number | undefined {
  if (text === undefined || !IMF_DATE.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}
