/** How tokens are written, and what stands between two of them on a line. */
import { wordName } from '../keywords.js';
import { BINARY_POWERS } from '../precedence.js';
import type { Token } from './tokens.js';

/** Operators that mean something else before an operand. */
const BEHIND_OPERAND: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '×', '÷', '<', '||']);
/** Operators with a blank on either side, wherever they stand. */
const BINARY: ReadonlySet<string> = new Set(
  [...BINARY_POWERS.keys(), '+=', '-=', '+?='].filter((text) => text !== '>' && !BEHIND_OPERAND.has(text)),
);
const TIGHT_BEFORE: ReadonlySet<string> = new Set([',', ';', ')', ']', ':']);
const TIGHT_BEHIND: ReadonlySet<string> = new Set(['(', '[']);
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}']);

/** What stands between the token and the one before it. */
export function spaceBefore(tokens: readonly Token[], index: number): '' | ' ' {
  const token = tokens[index] as Token;
  const before = tokens[index - 1];
  if (before === undefined) return '';
  const asWritten = token.isApart ? ' ' : '';
  if (isOperatorArgument(tokens, index)) return asWritten;
  if (isPunctuation(token, TIGHT_BEFORE) || isPunctuation(before, TIGHT_BEHIND)) return '';
  if (is(before, ',')) return ' ';
  if (is(before, ':')) return isMock(tokens, index - 1) ? asWritten : ' ';
  if (isBinary(tokens, index) || isBinary(tokens, index - 1)) return ' ';
  if (is(before, '}') && token.kind === 'word') return ' ';
  if (is(token, '{') && before.keyword !== '') return ' ';
  return asWritten;
}

/** Whether a token is this punctuation. */
export function is(token: Token | undefined, text: string): boolean {
  return token?.kind === 'punct' && token.text === text;
}

function isPunctuation({ kind, text }: Token, set: ReadonlySet<string>): boolean {
  return kind === 'punct' && set.has(text);
}

/** Whether a token is a comma between items, which isn't one of an operator or of a type: `@1,OR@`, `array<int, 5>`. */
export function separatesItems(tokens: readonly Token[], index: number): boolean {
  return is(tokens[index], ',') && !isOperatorArgument(tokens, index) && !closesType(tokens, index);
}

/** `<|2,40|>` and `@1,OR@` are written as one operator. */
function isOperatorArgument(tokens: readonly Token[], index: number): boolean {
  const opening = [1, 2, 3].find((back) => is(tokens[index - back], '<|') || is(tokens[index - back], '@'));
  return opening !== undefined && (is(tokens[index], ',') || is(tokens[index - 1], ','));
}

/** `|person:10|`. */
function isMock(tokens: readonly Token[], index: number): boolean {
  return is(tokens[index - 2], '|') && tokens[index - 1]?.kind !== 'param';
}

function isBinary(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index] as Token;
  if (token.kind !== 'punct') return false;
  // `{1..3+shortest=person:1}` is a part of a path.
  if (isRecursion(tokens, index)) return false;
  if (BINARY.has(token.text)) return true;
  if (token.text === '>') return endsOperand(tokens[index - 1]) && !closesType(tokens, index);
  return BEHIND_OPERAND.has(token.text) && endsOperand(tokens[index - 1]);
}

/** What types are made of, besides names and literals. */
const IN_TYPES: ReadonlySet<string> = new Set(['|', ',', '-', '[', ']']);

/** Whether the token stands in, or ends, a type such as `array<int>` or `<int>`. */
function closesType(tokens: readonly Token[], index: number): boolean {
  let inner = 0;
  for (let at = index - 1; at >= Math.max(0, index - LONGEST_TYPE); at--) {
    const { kind, text } = tokens[at] as Token;
    if (kind !== 'punct' || IN_TYPES.has(text)) continue;
    if (text === '>') inner++;
    else if (text !== '<') return false;
    else if (inner-- === 0) return !endsOperand(tokens[at - 1]);
  }
  return false;
}

function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === 'punct') return CLOSING.has(token.text);
  return token.keyword === '' || !isKeyword(token);
}

/** Tokens of a recursion and of a type that are looked at. */
const LONGEST_RECURSION = 12;
const LONGEST_TYPE = 64;

/** Whether a token is in the braces of a recursion, which follow a dot and begin with a number. */
function isRecursion(tokens: readonly Token[], index: number): boolean {
  for (let at = index - 1; at >= Math.max(0, index - LONGEST_RECURSION); at--) {
    if (is(tokens[at], '{')) return beginsRecursion(tokens, at);
  }
  return false;
}

/** Whether the brace at `index` opens a recursion: `.{1..3+collect}`. */
export function beginsRecursion(tokens: readonly Token[], index: number): boolean {
  const first = tokens[index + 1];
  return is(tokens[index - 1], '.') && (first?.kind === 'number' || is(first, '..'));
}

/** Names of types that are keywords elsewhere, too. */
const TYPE_WORDS: ReadonlySet<string> = new Set(
  'ANY ARRAY BOOL BYTES DATETIME DECIMAL DURATION FILE FLOAT FUNCTION GEOMETRY INT LINE MULTILINE MULTIPOINT MULTIPOLYGON NONE NULL NUMBER OBJECT OPTION POINT POLYGON RANGE RECORD REGEX SET STRING TABLE UUID'.split(
    ' ',
  ),
);
const VALUES: ReadonlySet<string> = new Set(['NONE', 'NULL']);
/** What stands before a type. */
const BEFORE_TYPE: ReadonlySet<string> = new Set(['<', '|', '->', ':', ',', '[']);
/** Permissions are for actions, which are written in small letters. */
const ACTIONS: ReadonlySet<string> = new Set(['SELECT', 'CREATE', 'UPDATE', 'DELETE']);

/** A token as it is laid out: keywords in capitals. */
export function tokenText(tokens: readonly Token[], index: number): string {
  const token = tokens[index] as Token;
  const { text, keyword } = token;
  // The key of an object.
  if (!isKeyword(token) || is(tokens[index + 1], ':')) return text;
  const before = tokens[index - 1];
  if (ACTIONS.has(keyword) && isAction(tokens, index)) return text;
  if (keyword === 'FUNCTION' && is(tokens[index + 1], '(')) return text;
  if (keyword === 'DURATION' && tokens[index + 1]?.keyword === 'FOR') return keyword;
  if (!TYPE_WORDS.has(keyword)) return keyword;
  const mayBeType = before?.keyword === 'TYPE' || (before?.kind === 'punct' && BEFORE_TYPE.has(before.text));
  if (mayBeType) return text;
  return VALUES.has(keyword) || keyword === 'SET' || (before !== undefined && isKeyword(before)) ? keyword : text;
}

function isKeyword({ text, keyword }: Token): boolean {
  // `∈` is a word to the lexer.
  if (keyword === '' || keyword !== text.toUpperCase()) return false;
  const name = wordName(text, keyword);
  return name === name.toUpperCase();
}

/** `FOR select, create`. */
function isAction(tokens: readonly Token[], index: number): boolean {
  let at = index - 1;
  while (is(tokens[at], ',') || ACTIONS.has(tokens[at]?.keyword ?? '')) at--;
  return tokens[at]?.keyword === 'FOR';
}
