/** DEFINE INDEX: its clauses, and those of its kinds. */
import { formatFloat } from '../../value/text/text.js';
import type { DefineIndex, Expression, Idiom, IndexKind } from '../ast.js';
import { expressions, onTable, whereClause } from '../parser/clauses.js';
import { distanceName } from '../parser/expression/expression.js';
import type { Parser } from '../parser/parser.js';
import { suggesting } from '../parser/suggestion.js';
import { clause, clauses, list, type Printer, plainName } from '../printer/printer.js';
import type { Mark } from '../source-error.js';
import { each, optional, update } from '../visitor/rebuild.js';
import {
  type ClauseRows,
  type ClauseTable,
  type DefinitionDraft,
  type DefinitionGrammar,
  flagClause,
  readClauses,
} from './clause.js';
import { COMMENT } from './shared-clauses.js';
import { fixedName, ON_TABLE } from './subjects.js';

type Node = DefinitionDraft<DefineIndex> & {
  /** The position of the last column, for errors. */
  lastColumn?: Mark;
};

const CLAUSES: ClauseRows<DefineIndex> = {
  fields: {
    unset: [],
    parse: { FIELDS: columns, COLUMNS: columns },
    text: ({ fields }, printer) => (fields.length === 0 ? undefined : `FIELDS ${list(fields, printer.expression)}`),
    structure: ({ fields }, printer) => ({ cols: fields.map((field) => columnText(field, printer)) }),
    map: (fields, mapper) => each(fields, mapper.expression),
  },
  indexKind: {
    unset: { kind: 'plain' },
    parse: {
      UNIQUE: (parser, node) => kind(parser, node, { kind: 'unique' }),
      COUNT: (parser, node) => kind(parser, node, { kind: 'count', ...whereClause(parser) }),
      FULLTEXT: (parser, node) => kind(parser, node, fulltext(parser)),
      SEARCH: (parser, node) => kind(parser, node, fulltext(parser)),
      HNSW: (parser, node) => kind(parser, node, hnsw(parser)),
    },
    text: ({ indexKind }, printer) => indexKindText(indexKind, printer),
    structure: ({ indexKind }, printer) => ({ index: indexKindText(indexKind, printer) ?? '' }),
    map: (given, mapper) =>
      given.kind === 'count' ? update(given, { where: optional(given.where, mapper.expression) }) : given,
  },
  comment: COMMENT,
  concurrently: flagClause('CONCURRENTLY', (node) => node.concurrently, { concurrently: true }),
};

export const DEFINE_INDEX: DefinitionGrammar<DefineIndex> = {
  words: ['INDEX'],
  subject: {
    ...ON_TABLE,
    structure: ({ name, table }) => ({ name: fixedName(name), table: fixedName(table) }),
  },
  clauses: CLAUSES,
  read(parser, table, start) {
    const { lastColumn, ...index }: Node = readClauses(parser, table, start);
    checkColumns(parser, index, lastColumn);
    return index;
  },
  alter: {
    subject: {
      parse(parser) {
        const name = parser.name();
        onTable(parser);
        return { name, table: parser.name() };
      },
    },
    clauses: ['comment'],
    drops: ['comment'],
    action: { words: ['PREPARE', 'REMOVE'], does: 'prepare-remove' },
    needed: '`PREPARE`, `DROP` or `COMMENT`',
  },
};

/** A column of an index that is defined, as STRUCTURE shows it: a path. */
function columnText(field: Expression, printer: Printer): string {
  return printer.idiom(field as Idiom);
}

function columns(parser: Parser): Partial<Node> {
  const fields = expressions(parser);
  return { fields, lastColumn: { start: parser.previousStart, end: parser.previousEnd } };
}

/** Kinds of indexes that list one column. */
const SINGLE: ReadonlySet<IndexKind['kind']> = new Set(['fulltext', 'hnsw']);

/** Among plain kinds the last one counts, as in the reference engine; a kind with its own operators excludes others. */
function kind(parser: Parser, { indexKind: { kind: former } }: Node, indexKind: IndexKind): Partial<Node> {
  const isOther = former !== 'plain' && former !== indexKind.kind;
  if (isOther && (SINGLE.has(former) || SINGLE.has(indexKind.kind))) {
    const [one, other] = [former, indexKind.kind].map((name) => name.toUpperCase());
    parser.fail(`An index is either ${one} or ${other}`, { start: parser.previousStart, end: parser.previousEnd });
  }
  return { indexKind };
}

function checkColumns(parser: Parser, { fields, indexKind: { kind } }: DefineIndex, last: Mark | undefined): void {
  if (kind === 'count') {
    if (fields.length > 0) parser.fail('Cannot create a count index with fields', last ?? parser.tokenMark());
  } else if (SINGLE.has(kind)) {
    if (fields.length === 1) return;
    const found = fields.length === 0 ? 'none' : fields.length;
    parser.fail(`Expected one column, found ${found}`, last ?? parser.tokenMark());
  } else if (fields.length === 0) {
    const mark = suggesting(parser, parser.tokenMark(), ['FIELDS', 'COLUMNS']);
    parser.fail('Expected at least one column - Use FIELDS to define columns', mark);
  }
}

type Fulltext = Extract<IndexKind, { kind: 'fulltext' }>;

/** The analyzer of an index that names none. */
const DEFAULT_ANALYZER = 'like';
const DEFAULT_BM25 = [1.2, 0.75] as const;

/** Its parts come in any order. */
function fulltext(parser: Parser): Fulltext {
  let analyzer = DEFAULT_ANALYZER;
  let bm25: Fulltext['bm25'];
  let highlights = false;
  for (;;) {
    if (parser.acceptWord('ANALYZER')) analyzer = parser.name();
    else if (parser.acceptWord('BM25')) bm25 = bm25Arguments(parser) ?? DEFAULT_BM25;
    else if (parser.acceptWord('HIGHLIGHTS')) highlights = true;
    else return { kind: 'fulltext', analyzer, ...(bm25 !== undefined && { bm25 }), highlights };
  }
}

function bm25Arguments(parser: Parser): readonly [number, number] | undefined {
  const openedAt = parser.start;
  const inParentheses = parser.acceptPunct('(');
  if (!inParentheses && parser.kind !== 'number') return undefined;
  const k1 = signedDecimal(parser);
  parser.expectPunct(',');
  const b = signedDecimal(parser);
  if (inParentheses) parser.expectClose(')', openedAt);
  return [k1, b];
}

function signedDecimal(parser: Parser): number {
  if (parser.acceptPunct('-')) return -decimalNumber(parser);
  parser.acceptPunct('+');
  return decimalNumber(parser);
}

function decimalNumber(parser: Parser): number {
  if (parser.kind !== 'number') parser.unexpected('a number');
  const number = Number(parser.text);
  parser.advance();
  return number;
}

type Hnsw = Extract<IndexKind, { kind: 'hnsw' }>;
type HnswNode = { -readonly [K in keyof Hnsw]: Hnsw[K] };
const INTEGER = 'an unsigned integer';
const VECTOR_TYPES = ['F64', 'F32', 'I64', 'I32', 'I16'] as const;

const HNSW_CLAUSES: ClauseTable<HnswNode> = new Map<string, (parser: Parser, node: HnswNode) => Partial<HnswNode>>([
  ['DISTANCE', (parser) => ({ distance: distanceName(parser, 'a distance measure') })],
  ['DIST', (parser) => ({ distance: distanceName(parser, 'a distance measure') })],
  ['TYPE', (parser) => ({ type: parser.acceptOneOf(...VECTOR_TYPES) ?? parser.unexpected('a vector type') })],
  ['EFC', (parser) => ({ efc: parser.natural(INTEGER, 0xffff) })],
  ['M', (parser) => ({ m: parser.natural(INTEGER, 0xff) })],
  ['M0', (parser) => ({ m0: parser.natural(INTEGER, 0xff) })],
  ['LM', (parser) => ({ lm: decimalNumber(parser) })],
  ['EXTEND_CANDIDATES', () => ({ extendCandidates: true })],
  ['KEEP_PRUNED_CONNECTIONS', () => ({ keepPrunedConnections: true })],
  ['HASHED_VECTOR', () => ({ hashedVector: true })],
]);

function hnsw(parser: Parser): Hnsw {
  parser.expectWord('DIMENSION');
  const node: HnswNode = {
    kind: 'hnsw',
    dimension: parser.natural(INTEGER, 0xffff),
    type: 'F32',
    distance: 'EUCLIDEAN',
    efc: 150,
    m: 12,
    extendCandidates: false,
    keepPrunedConnections: false,
    hashedVector: false,
  };
  return readClauses(parser, HNSW_CLAUSES, node);
}

/** The clause of the index's kind: `UNIQUE`, `COUNT`, `FULLTEXT ANALYZER …`. */
function indexKindText(given: IndexKind, printer: Printer): string | undefined {
  switch (given.kind) {
    case 'plain':
      return undefined;
    case 'unique':
      return 'UNIQUE';
    case 'count':
      return `COUNT${clauses(clause('WHERE', given.where, printer.expression))}`;
    case 'fulltext': {
      const bm25 = given.bm25 ?? (printer.secrets ? undefined : DEFAULT_BM25);
      return `FULLTEXT ANALYZER ${plainName(given.analyzer)}${clauses(
        bm25 !== undefined && `BM25(${bm25[0]},${bm25[1]})`,
        given.highlights && 'HIGHLIGHTS',
      )}`;
    }
    case 'hnsw':
      return hnswText(given, printer);
  }
}

/** INFO fills in what follows from M: twice as many links on the lowest layer, and 1 / ln M as the factor of layers. */
function hnswText(given: Hnsw, printer: Printer): string {
  const { dimension, distance, efc, m, type } = given;
  const m0 = given.m0 ?? (printer.secrets ? undefined : m * 2);
  const lm = given.lm ?? (printer.secrets ? undefined : 1 / Math.log(m));
  return `HNSW DIMENSION ${dimension} DIST ${distance} TYPE ${type} EFC ${efc} M ${m}${clauses(
    clause('M0', m0, String),
    clause('LM', lm, formatFloat),
    given.extendCandidates && 'EXTEND_CANDIDATES',
    given.keepPrunedConnections && 'KEEP_PRUNED_CONNECTIONS',
    given.hashedVector && 'HASHED_VECTOR',
  )}`;
}
