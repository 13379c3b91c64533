/** MATCHES (`@@`): whether the texts of a record match a query. */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import type { Binary, Idiom, IndexHints, MatchesOperator } from '../../language/ast.js';
import { printExpression, printIdiom } from '../../language/print.js';
import { transformExpression } from '../../language/visitor.js';
import { fullTextIndexOn } from '../../plan/access/full-text.js';
import { noteOf } from '../../runtime/candidates.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { TextAnalyzer } from '../../runtime/text-analyzer.js';
import { countPrefixes, holdsTerms, occurrencesOf, type SearchQuery } from '../../search/query/query.js';
import { type Bm25, DEFAULT_BM25 } from '../../search/segments/bm25.js';
import type { DocumentTerms } from '../../search/text/document-terms.js';
import { textsOf } from '../../search/text/indexed-texts.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import { isObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import { documentTerms, indexedValue } from '../index/full-text.js';
import { PermittedCandidates, type RowMatch } from './permitted-candidates.js';
import { holdsPhrases, searchQueryOf } from './search-query.js';

/** A condition at a row: the index whose analyzer judges it, and the terms that are looked for. */
export interface MatchSite {
  readonly catalog: DatabaseCatalog;
  readonly table: TableEntry;
  readonly index: IndexDefinition;
  readonly analyzer: TextAnalyzer;
  readonly row: ObjectValue;
  readonly query: SearchQuery;
}

/** Judges row by row; what an index has found by the very condition meets it. */
export function compileMatches(condition: Binary, compiler: Compiler): Evaluate {
  const siteOf = compileMatchSite(condition, compiler);
  const judge = (frame: Frame): PromiseOrValue<boolean> =>
    andThen(siteOf(frame), (site) => andThen(matchRow(frame.execution, site), ({ matches }) => matches));
  const rowOf = compileRow(condition, compiler);
  // `$before` of what is created is no record, and has no words.
  if (rowOf !== undefined) return (frame) => andThen(rowOf(frame), (row) => row != null && judge(frame));
  return (frame) => {
    const note = noteOf(frame.current);
    return note?.condition === condition && note.isUncertain !== true ? true : judge(frame);
  };
}

/** The record whose field is matched, where that isn't a field of the row: `$after` of `$after.body @@ 'tea'`. */
function compileRow({ left }: Binary, compiler: Compiler): Evaluate | undefined {
  return left.kind === 'idiom' && left.start?.kind === 'param' ? compiler.expression(left.start) : undefined;
}

/** Looks at the texts of a row, as far as they are seen: once for all that ask, where its scan remembers it. */
export function matchRow(execution: Execution, site: MatchSite): PromiseOrValue<RowMatch> {
  const scan = noteOf(site.row)?.scan;
  const id = site.row['id'];
  if (!(scan instanceof PermittedCandidates && id instanceof RecordId)) return lookAt(execution, site);
  const found = scan.foundBy(site.query);
  const key = encodeKey(id.key);
  const known = found.get(key);
  if (known !== undefined) return known;
  return andThen(lookAt(execution, site), (match) => {
    found.set(key, match);
    return match;
  });
}

function lookAt(execution: Execution, site: MatchSite): PromiseOrValue<RowMatch> {
  return andThen(rowTerms(execution, site), (terms) =>
    andThen(isMatch(execution, site, terms), (matches) => ({
      matches,
      length: terms.length,
      occurrences: site.query.terms.map((term) => occurrencesOf(term, terms)),
    })),
  );
}

/** Whether a row with these terms is what a query asks for. */
function isMatch(execution: Execution, site: MatchSite, terms: DocumentTerms): PromiseOrValue<boolean> {
  const { query, analyzer, index, row } = site;
  return andThen(countPrefixes(query, terms, execution.interrupt), () => {
    if (!holdsTerms(query, terms)) return false;
    if (query.phrases.length === 0) return true;
    return holdsPhrases(execution, analyzer, textsOf(indexedValue({ definition: index }, row)), query);
  });
}

/** The terms of a row, as far as it is seen. */
function rowTerms(
  execution: Execution,
  { index, analyzer, row }: Pick<MatchSite, 'index' | 'analyzer' | 'row'>,
): PromiseOrValue<DocumentTerms> {
  return documentTerms(execution, analyzer, indexedValue({ definition: index }, row));
}

/**
 * Finds the index of a condition for the row where it is evaluated.
 * @throws TesseraError `no_suitable_index`, and what the analyzer throws
 */
export function compileMatchSite(condition: Binary, compiler: Compiler): (frame: Frame) => PromiseOrValue<MatchSite> {
  const { left, operator } = condition;
  invariant(typeof operator === 'object' && operator.kind === 'matches', 'the condition is a MATCHES');
  const rowOf = compileRow(condition, compiler);
  const isPath = left.kind === 'idiom' && (left.start === undefined || rowOf !== undefined);
  const path = isPath ? printIdiom({ kind: 'idiom', parts: (left as Idiom).parts }) : undefined;
  const evaluate = compiler.expression(condition.right);
  const siteAt = (frame: Frame, current: Value): PromiseOrValue<MatchSite> => {
    const { execution } = frame;
    return andThen(execution.context.catalog(), (catalog) => {
      const id = isObject(current) ? current['id'] : undefined;
      const table = id instanceof RecordId ? catalog?.tables.get(id.table) : undefined;
      const index = path === undefined || table === undefined ? undefined : judgingIndex(table, path, operator);
      if (catalog === undefined || table === undefined || index === undefined || !isObject(current)) {
        throw failure('no_suitable_index', { expression: printedWith(execution.request.literals, condition) });
      }
      return andThen(analyzerOf(execution, index), (analyzer) =>
        andThen(evaluate(frame), (text) =>
          andThen(queryAt(execution, condition, analyzer, text), (query) => ({
            catalog,
            table,
            index,
            analyzer,
            row: current,
            query,
          })),
        ),
      );
    });
  };
  return (frame) => andThen(rowOf === undefined ? frame.current : rowOf(frame), (row) => siteAt(frame, row));
}

/** What a condition has asked for last: mostly it asks the same at all rows. */
interface Asked {
  readonly analyzer: TextAnalyzer;
  readonly text: Value;
  readonly query: SearchQuery;
}

const asked = new WeakMap<Execution, Map<Binary, Asked>>();

/** The same object for the same text. */
function queryAt(
  execution: Execution,
  condition: Binary,
  analyzer: TextAnalyzer,
  text: Value,
): PromiseOrValue<SearchQuery> {
  let known = asked.get(execution);
  if (known === undefined) {
    known = new Map();
    asked.set(execution, known);
  }
  const last = known.get(condition);
  if (last !== undefined && last.text === text && last.analyzer === analyzer) return last.query;
  const remember = known;
  return andThen(searchQueryOf(execution, analyzer, text, condition.operator as MatchesOperator), (query) => {
    remember.set(condition, { analyzer, text, query });
    return query;
  });
}

/** The condition as its text has it: literals were replaced by slots (`language/parameterize.ts`). */
function printedWith(literals: readonly Value[], condition: Binary): string {
  const restored = transformExpression(condition, (node) =>
    node.kind === 'param' && node.slot !== undefined ? { kind: 'literal', value: literals[node.slot] } : undefined,
  );
  return printExpression(restored);
}

/** The index whose analyzer judges rows: of those that WITH INDEX names, one that answers, or is being built. */
function judgingIndex(
  { answering, indexes }: TableEntry,
  path: string,
  { indexes: names }: MatchesOperator,
): IndexDefinition | undefined {
  const building = indexes.filter(({ state }) => state === 'building');
  const named = names && ({ kind: 'index', names } as const);
  const find = (hints?: IndexHints) =>
    fullTextIndexOn(answering, path, hints) ?? fullTextIndexOn(building, path, hints);
  return find(named) ?? find();
}

/**
 * The analyzer of a full-text index.
 * @throws TesseraError `analyzer_not_found`
 */
export function analyzerOf(execution: Execution, { indexKind }: IndexDefinition): PromiseOrValue<TextAnalyzer> {
  return execution.services.analyzers.named(execution, indexKind.kind === 'fulltext' ? indexKind.analyzer : '');
}

/** What scores of an index are made with. */
export function bm25Of({ indexKind }: IndexDefinition): Bm25 {
  const [k1, b] = (indexKind.kind === 'fulltext' && indexKind.bm25) || [DEFAULT_BM25.k1, DEFAULT_BM25.b];
  return { k1, b };
}
