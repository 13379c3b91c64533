/**
 * Reads documents within bounds: the library's parser descends as deep as the brackets go, so these are counted first.
 */
import { type DocumentNode, Lexer, parse, Source, TokenKind } from 'graphql';
import { failure } from '../../errors/error.js';
import type { EffectiveLimits } from '../base/effective-limits.js';

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** Characters of a name, or of a number, at most: messages repeat them, and look for names like them. */
const LONGEST_WORD = 1_024;
const WORDS: ReadonlySet<string> = new Set([TokenKind.NAME, TokenKind.INT, TokenKind.FLOAT]);

/** The cost of reading a text. */
export interface TextCost {
  readonly tokens: number;
  /** Brackets within each other. */
  readonly nesting: number;
}

export interface ParsedDocument {
  readonly document: DocumentNode;
  readonly cost: TextCost;
}

/** @throws GraphQLError for a text that isn't GraphQL; TesseraError `graphql_limit` */
export function parseDocument(
  text: string,
  { limits, beyond }: Pick<EffectiveLimits, 'limits' | 'beyond'>,
): ParsedDocument {
  const source = new Source(text);
  const lexer = new Lexer(source);
  let depth = 0;
  let tokens = 0;
  let nesting = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1;
    if (tokens > limits.tokens) throw beyond('tokens');
    if (token.end - token.start > LONGEST_WORD && WORDS.has(token.kind)) {
      throw failure('graphql_limit', { what: 'characters in a name or number', limit: LONGEST_WORD, setting: 'fixed' });
    }
    if (OPENING.has(token.kind)) depth += 1;
    else if (CLOSING.has(token.kind)) depth -= 1;
    if (depth > nesting) nesting = depth;
    if (nesting > limits.nesting) throw beyond('nesting');
  }
  return { document: parse(source), cost: { tokens, nesting } };
}
