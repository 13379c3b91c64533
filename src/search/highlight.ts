/** Where in a text the terms of a query are. */
import type { TermAt } from './analyzer.js';

/** A part of a text, in UTF-16 code units, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The parts of a text that hold terms of a query: whole tokens or, if `partial`, what the term covers of each. */
export function spansOf(
  text: string,
  terms: readonly TermAt[],
  isWanted: (term: string) => boolean,
  partial: boolean,
): readonly Span[] {
  const spans = new Map<string, Span>();
  for (const { term, at, start, end } of terms) {
    if (!isWanted(term)) continue;
    const from = partial ? advanced(text, start, at, end) : start;
    const span = { start: from, end: partial ? advanced(text, from, lengthOf(term), end) : end };
    spans.set(`${span.start} ${span.end}`, span);
  }
  return [...spans.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** So many code points on, and not beyond `end`. */
function advanced(text: string, from: number, points: number, end: number): number {
  let at = from;
  for (let left = points; left > 0 && at < end; left--) at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  return Math.min(at, end);
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** A text with a prefix and a suffix around each of some parts, of which those that overlap are one. */
export function marked(text: string, spans: readonly Span[], prefix: string, suffix: string): string {
  let result = '';
  let written = 0;
  for (const { start, end } of united(spans)) {
    result += `${text.slice(written, start)}${prefix}${text.slice(start, end)}${suffix}`;
    written = end;
  }
  return result + text.slice(written);
}

function united(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last !== undefined && span.start < last.end) {
      all[all.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    } else all.push(span);
  }
  return all;
}

/** The same parts in code points. Spans ascend by their starts. */
export function inCodePoints(text: string, spans: readonly Span[]): Span[] {
  let at = 0;
  let points = 0;
  const pointsAt = (offset: number): number => {
    if (offset < at) {
      at = 0;
      points = 0;
    }
    while (at < offset) {
      at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
      points++;
    }
    return points;
  };
  return spans.map(({ start, end }) => ({ start: pointsAt(start), end: pointsAt(end) }));
}
