/** DEFINE ANALYZER: its clauses. */
import { quoteString } from '../../value/text/quote.js';
import type { AnalyzerFilter, DefineAnalyzer } from '../ast.js';
import { functionName } from '../parser/clauses.js';
import { unsigned } from '../parser/expression/literal.js';
import type { Parser } from '../parser/parser.js';
import { clause, functionPath, list } from '../printer/printer.js';
import type { DefinitionGrammar } from './clause.js';
import { COMMENT } from './shared-clauses.js';
import { NAMED } from './subjects.js';

const TOKENIZERS = { BLANK: 'blank', CAMEL: 'camel', CLASS: 'class', PUNCT: 'punct', SEGMENT: 'segment' } as const;

export const DEFINE_ANALYZER: DefinitionGrammar<DefineAnalyzer> = {
  words: ['ANALYZER'],
  subject: NAMED,
  clauses: {
    function: {
      parse: { FUNCTION: (parser) => ({ function: functionName(parser) }) },
      text: (node) => clause('FUNCTION', node.function, functionPath),
      structure: (node) => ({ function: node.function }),
    },
    tokenizers: {
      unset: [],
      parse: { TOKENIZERS: (parser) => ({ tokenizers: parser.commaList(() => tokenizer(parser)) }) },
      text: ({ tokenizers }) => unlessEmpty('TOKENIZERS', tokenizers, (names) => names.join(',').toUpperCase()),
      structure: ({ tokenizers }) => ({
        tokenizers: tokenizers.length === 0 ? undefined : tokenizers.map((name) => name.toUpperCase()),
      }),
    },
    filters: {
      unset: [],
      parse: { FILTERS: (parser) => ({ filters: parser.commaList(() => filter(parser)) }) },
      text: ({ filters }) => unlessEmpty('FILTERS', filters, (each) => list(each, filterText)),
      structure: ({ filters }) => ({ filters: filters.length === 0 ? undefined : filters.map(filterText) }),
    },
    comment: COMMENT,
  },
  alter: {
    clauses: ['function', 'tokenizers', 'filters', 'comment'],
    drops: ['function', 'tokenizers', 'filters', 'comment'],
  },
};

function unlessEmpty<T>(keyword: string, items: readonly T[], text: (items: readonly T[]) => string) {
  return items.length === 0 ? undefined : `${keyword} ${text(items)}`;
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

function filterText(given: AnalyzerFilter): string {
  switch (given.kind) {
    case 'edgengram':
    case 'ngram':
      return `${given.kind.toUpperCase()}(${given.min},${given.max})`;
    case 'snowball':
    case 'stopwords':
      return `${given.kind.toUpperCase()}(${given.language.toUpperCase()})`;
    case 'mapper':
      return `MAPPER(${quoteString(given.path)})`;
    default:
      return given.kind.toUpperCase();
  }
}
