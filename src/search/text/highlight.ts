/** Where in a text the terms of a query are. */
import { pointsOf, type Term } from './filters.js';

/** A part of a text, in UTF-16 code units, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Collects, token by token, the parts of a text that hold terms of a query: whole tokens or, if `partial`, what the
 * term covers of each. They ascend by their starts, then by their ends.
 */
export class SpanCollector {
  readonly spans: Span[] = [];

  constructor(
    private readonly text: string,
    private readonly isWanted: (term: string) => boolean,
    private readonly partial: boolean,
  ) {}

  visit(terms: readonly Term[], start: number, end: number): void {
    const wanted = terms.filter(({ term }) => this.isWanted(term));
    if (wanted.length === 0) return;
    if (!this.partial) {
      this.spans.push({ start, end });
      return;
    }
    const points = pointsOf(this.text.slice(start, end));
    const offset = (point: number): number => start + (points[Math.min(point, points.length - 1)] as number);
    const found = wanted.map(({ term, at }) => ({ start: offset(at), end: offset(at + lengthOf(term)) }));
    found.sort((a, b) => a.start - b.start || a.end - b.end);
    let last: Span | undefined;
    for (const span of found) {
      if (last?.start === span.start && last.end === span.end) continue;
      this.spans.push(span);
      last = span;
    }
  }
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Spans of which those that overlap are one. */
export function united(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last !== undefined && span.start < last.end) {
      all[all.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    } else all.push(span);
  }
  return all;
}

/** Places of a text in code points. Each place is looked for from the last one on. */
export class CodePoints {
  #at = 0;
  #points = 0;

  constructor(private readonly text: string) {}

  /** The place of a span that doesn't begin before the last one, in code points. */
  of({ start, end }: Span): Span {
    this.#goTo(start);
    const from = this.#points;
    const startOf = this.#at;
    // Spans that follow one another overlap by less than a token.
    this.#goTo(end);
    const to = this.#points;
    this.#at = startOf;
    this.#points = from;
    return { start: from, end: to };
  }

  #goTo(offset: number): void {
    while (this.#at < offset) {
      this.#at += (this.text.codePointAt(this.#at) as number) > 0xffff ? 2 : 1;
      this.#points++;
    }
  }
}
