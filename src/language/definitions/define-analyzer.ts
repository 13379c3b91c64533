import type { AnalyzerFilter, DefineAnalyzer } from '../ast.js';
import { unsigned } from '../parser/expression/literal.js';
import type { Parser } from '../parser/parser.js';
import { functionName } from './define-function.js';
import { type ClauseTable, clauses, comment, mode } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineAnalyzer]: DefineAnalyzer[K] };

const TOKENIZERS = { BLANK: 'blank', CAMEL: 'camel', CLASS: 'class', PUNCT: 'punct', SEGMENT: 'segment' } as const;

export const ANALYZER_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['FUNCTION', (parser) => ({ function: functionName(parser) })],
  ['TOKENIZERS', (parser) => ({ tokenizers: parser.commaList(() => tokenizer(parser)) })],
  ['FILTERS', (parser) => ({ filters: parser.commaList(() => filter(parser)) })],
  ['COMMENT', comment],
]);

export function defineAnalyzer(parser: Parser): DefineAnalyzer {
  const head = mode(parser);
  return clauses<Node>(parser, ANALYZER_CLAUSES, {
    kind: 'define-analyzer',
    ...head,
    name: parser.definitionName(),
    tokenizers: [],
    filters: [],
  });
}

function tokenizer(parser: Parser): DefineAnalyzer['tokenizers'][number] {
  const word = parser.acceptOneOf('BLANK', 'CAMEL', 'CLASS', 'PUNCT', 'SEGMENT');
  return word === undefined ? parser.unexpected('a tokenizer') : TOKENIZERS[word];
}

const FILTERS: ReadonlyMap<string, (parser: Parser) => AnalyzerFilter> = new Map<
  string,
  (parser: Parser) => AnalyzerFilter
>([
  ['ASCII', () => ({ kind: 'ascii' })],
  ['LOWERCASE', () => ({ kind: 'lowercase' })],
  ['UPPERCASE', () => ({ kind: 'uppercase' })],
  ['NFC', () => ({ kind: 'nfc' })],
  ['EDGENGRAM', (parser) => inParentheses(parser, () => ({ kind: 'edgengram', ...bounds(parser) }))],
  ['NGRAM', (parser) => inParentheses(parser, () => ({ kind: 'ngram', ...bounds(parser) }))],
  ['SNOWBALL', (parser) => inParentheses(parser, () => ({ kind: 'snowball', language: language(parser) }))],
  ['STOPWORDS', (parser) => inParentheses(parser, () => ({ kind: 'stopwords', language: language(parser) }))],
  ['MAPPER', (parser) => inParentheses(parser, () => ({ kind: 'mapper', path: parser.string() }))],
]);

function filter(parser: Parser): AnalyzerFilter {
  const read = FILTERS.get(parser.word);
  if (read === undefined) return parser.unexpected('a filter');
  parser.advance();
  return read(parser);
}

/** Languages by their names, and by their codes of two and three letters. */
const LANGUAGES: ReadonlyMap<string, string> = new Map(
  [
    'arabic ar ara',
    'danish da dan',
    'dutch nl nld',
    'english en eng',
    'finnish fi fin',
    'french fr fra',
    'german de deu',
    'greek el ell',
    'hungarian hu hun',
    'italian it ita',
    'norwegian no nor',
    'portuguese pt por',
    'romanian ro ron',
    'russian ru rus',
    'spanish es spa',
    'swedish sv swe',
    'tamil ta tam',
    'turkish tr tur',
  ].flatMap((names) => names.split(' ').map((name, _, [full = '']) => [name.toUpperCase(), full] as const)),
);

function language(parser: Parser): string {
  const name = LANGUAGES.get(parser.text.toUpperCase());
  if (!parser.isName() || name === undefined) return parser.unexpected('a language');
  parser.advance();
  return name;
}

function bounds(parser: Parser): { min: number; max: number } {
  const min = length(parser);
  parser.expectPunct(',');
  return { min, max: length(parser) };
}

const LONGEST_GRAM = 65_535n;

function length(parser: Parser): number {
  return Number(unsigned(parser, 'an unsigned integer', LONGEST_GRAM));
}

function inParentheses<T>(parser: Parser, content: () => T): T {
  const openedAt = parser.start;
  parser.expectPunct('(');
  const result = content();
  parser.expectClose(')', openedAt);
  return result;
}
