/**
 * Divides texts into tokens. A token ends where any of the chosen tokenizers wants it to; characters of the kind
 * `OTHER` always end one and are part of none.
 */
import { Buffer } from 'node:buffer';
import type { TokenizerName } from '../../language/ast.js';
import { BLANK, characterClass, isMark, isUpper, LETTER, OTHER, PUNCTUATION } from './characters.js';
import { hashWith } from './sequence-table.js';

// A part of a text as UTF-16 code units, in memory that is used over and over.

const FIRST_UNITS = 16_384;

/**
 * An element of an array is read faster than by `charCodeAt`, which looks at the kind of its string each time: counting
 * the terms of a text of 367 characters takes 5.5 µs rather than 8.
 */
class TextUnits {
  units = new Uint16Array(FIRST_UNITS);
  /** Where in the text the first of them stands. */
  from = 0;
  #bytes = Buffer.from(this.units.buffer);

  /** Has a part of a text in `units`, until the next call. */
  load(text: string, from: number, to: number): void {
    if (to - from > this.units.length) {
      this.units = new Uint16Array(2 * (to - from));
      this.#bytes = Buffer.from(this.units.buffer);
    }
    this.from = from;
    // Node runs on processors with the low byte first alone.
    this.#bytes.write(to - from === text.length ? text : text.slice(from, to), 'utf16le');
  }
}

/** Receives tokens as UTF-16 positions, end exclusive, with the hash of their code units, which are in `loaded`. */
export type TokenVisitor = (start: number, end: number, hash: number) => void;

/** What is being divided: the token that was found last among it. */
export const loaded = new TextUnits();

/** Longer tokens are cut into pieces, in UTF-16 code units. */
export const MAX_TOKEN = 8_192;

/** Which tokenizers an analyzer has, and whether combining marks belong to the character before them (`nfc`). */
export interface TokenizerOptions {
  readonly tokenizers: readonly TokenizerName[];
  readonly keepsMarks: boolean;
}

/** Tokenizes a text in steps whose size the caller chooses. */
export interface Tokenizing {
  /** Continues for about this many UTF-16 code units; answers whether the text has ended. */
  run(units: number): boolean;
}

/** Begins to divide a text, from where a token begins or can't be. */
export type Tokenizer = (text: string, visit: TokenVisitor, from?: number) => Tokenizing;

export function createTokenizer({ tokenizers, keepsMarks }: TokenizerOptions): Tokenizer {
  const has = (name: TokenizerName): boolean => tokenizers.includes(name);
  const rules: Rules = {
    dropsBlanks: has('blank') || has('class') || has('camel'),
    byClass: has('class'),
    byCamel: has('camel'),
    byPunctuation: has('punct'),
    keepsMarks,
  };
  if (!has('segment')) return (text, visit, from = 0) => new CharacterWalk(text, from, text.length, rules, visit);
  return (text, visit) => new SegmentWalk(text, rules, visit);
}

/** Codes of code units (`PlainTokens`); others are those of classes. */
export const UNKNOWN = 0;
/** Ends a token, and is part of none. */
export const SEPARATOR = 1;
/** Half of a character: one only the tokenizer itself judges. */
export const SPECIAL = 2;
const FIRST_CLASS = 3;

/** How tokens are found by a look at one code unit after the other: a token is what has the same code. */
export class PlainTokens {
  /** By code unit; `UNKNOWN` until it is learned. */
  readonly codes = new Uint8Array(0x1_0000);

  constructor(
    private readonly dropsBlanks: boolean,
    private readonly byClass: boolean,
  ) {}

  /** The code of a unit whose code is unknown. */
  learn(unit: number): number {
    const code = this.#codeOf(unit);
    this.codes[unit] = code;
    return code;
  }

  #codeOf(unit: number): number {
    if (unit >= 0xd800 && unit <= 0xdfff) return SPECIAL;
    const kind = characterClass(unit);
    if (kind === OTHER || (kind === BLANK && this.dropsBlanks)) return SEPARATOR;
    return this.byClass ? FIRST_CLASS + kind : FIRST_CLASS;
  }
}

const BY_CLASS = new PlainTokens(true, true);
const BY_BLANKS = new PlainTokens(true, false);
const WHOLE = new PlainTokens(false, false);

/** For tokenizers that need no more than that; `undefined` for others. */
export function plainTokens({ tokenizers, keepsMarks }: TokenizerOptions): PlainTokens | undefined {
  if (keepsMarks || tokenizers.some((name) => name !== 'blank' && name !== 'class')) return undefined;
  if (tokenizers.includes('class')) return BY_CLASS;
  return tokenizers.includes('blank') ? BY_BLANKS : WHOLE;
}

interface Rules {
  readonly dropsBlanks: boolean;
  readonly byClass: boolean;
  readonly byCamel: boolean;
  readonly byPunctuation: boolean;
  readonly keepsMarks: boolean;
}

class CharacterWalk implements Tokenizing {
  #at: number;
  /** Where the token under way begins; -1 between tokens. */
  #start = -1;
  #hash = 0;
  #kind = OTHER;
  #previous = 0;

  constructor(
    private readonly text: string,
    from: number,
    private readonly to: number,
    private readonly rules: Rules,
    private readonly visit: TokenVisitor,
  ) {
    this.#at = from;
  }

  run(count: number): boolean {
    const { to, visit } = this;
    const { dropsBlanks, byClass, byCamel, byPunctuation, keepsMarks } = this.rules;
    const until = Math.min(to, this.#at + count);
    let at = this.#at;
    let start = this.#start;
    let hash = this.#hash;
    let before = this.#kind;
    let previous = this.#previous;
    // With the low half of a character whose high half is the last one.
    loaded.load(this.text, start < 0 ? at : start, Math.min(to, until + 1));
    const { units, from } = loaded;
    for (let next = at; at < until; at = next) {
      const unit = units[at - from] as number;
      next = at + 1;
      let point = unit;
      let low = 0;
      if (unit >= 0xd800 && unit <= 0xdbff && next < to) {
        low = units[next - from] as number;
        if (low >= 0xdc00 && low <= 0xdfff) {
          point = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
          next++;
        }
      }
      if (keepsMarks && start >= 0 && point >= 0x300 && isMark(point)) {
        hash = hashWith(hash, unit);
        if (point > 0xffff) hash = hashWith(hash, low);
        continue;
      }
      const kind = characterClass(point);
      if (kind === OTHER || (kind === BLANK && dropsBlanks)) {
        if (start >= 0) visit(start, at, hash);
        start = -1;
        continue;
      }
      if (byPunctuation && kind === PUNCTUATION) {
        if (start >= 0) visit(start, at, hash);
        start = -1;
        visit(at, next, hashWith(0, unit));
        continue;
      }
      if (start >= 0) {
        const ends =
          (byClass && kind !== before) ||
          (byCamel && kind === LETTER && (before !== LETTER || (isUpper(point) && !isUpper(previous)))) ||
          next - start > MAX_TOKEN;
        if (ends) {
          visit(start, at, hash);
          start = -1;
        }
      }
      if (start < 0) {
        start = at;
        hash = 0;
      }
      hash = hashWith(hash, unit);
      if (point > 0xffff) hash = hashWith(hash, low);
      before = kind;
      previous = point;
    }
    this.#at = at;
    this.#start = start;
    this.#hash = hash;
    this.#kind = before;
    this.#previous = previous;
    if (at < to) return false;
    if (start >= 0) visit(start, to, hash);
    this.#start = -1;
    return true;
  }
}

/** Words by the rules of Unicode and the dictionaries of ICU, which are the same whatever the locale. */
const words = () => new Intl.Segmenter('en', { granularity: 'word' });
let segmenter: Intl.Segmenter | undefined;

/**
 * Code units that are segmented at once at first. Segmenting takes longer than in proportion: 8,192 units of short
 * words take 23 ms, a sixteenth of them 0.4 ms.
 */
const FIRST_SEGMENTED = 512;
/** Words that begin so near to the end of such a piece are left to the next one, which sees what comes behind them. */
const BORDER = 128;

/** How much longer a code unit takes that is segmented. */
export const SEGMENTING = 8;

/** The segments that are words, each divided further by the other tokenizers. */
class SegmentWalk implements Tokenizing {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly rules: Rules,
    private readonly visit: TokenVisitor,
  ) {}

  run(units: number): boolean {
    segmenter ??= words();
    const until = this.#at + units;
    let size = FIRST_SEGMENTED;
    while (this.#at < this.text.length && this.#at < until) {
      const from = this.#at;
      this.#at = this.#segment(segmenter, from, from + size);
      // A word that is as long as the piece needs a larger one.
      size = this.#at === from ? 2 * size : FIRST_SEGMENTED;
    }
    return this.#at >= this.text.length;
  }

  /** Answers where the next piece begins: at `from` where this one is too short. */
  #segment(segmenter: Intl.Segmenter, from: number, to: number): number {
    const piece = this.text.slice(from, to);
    const isLast = to >= this.text.length;
    const isLongest = piece.length >= MAX_TOKEN;
    const border = isLast ? piece.length : piece.length - BORDER;
    for (const segment of segmenter.segment(piece)) {
      const { index } = segment;
      const end = index + segment.segment.length;
      if (end > border && !isLast && !(isLongest && index === 0)) return from + index;
      this.#divide(from, segment);
    }
    return to;
  }

  #divide(from: number, { index, segment, isWordLike }: Intl.SegmentData): void {
    // A mark that stands alone is no word to ICU.
    if (isWordLike !== true && !hasLetter(segment)) return;
    const start = from + index;
    const walk = new CharacterWalk(this.text, start, start + segment.length, this.rules, this.visit);
    walk.run(segment.length);
  }
}

function hasLetter(segment: string): boolean {
  for (const character of segment) if (characterClass(character.codePointAt(0) as number) === LETTER) return true;
  return false;
}
