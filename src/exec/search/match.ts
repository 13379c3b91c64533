/** MATCHES (`@@`): whether the texts of a record match a query. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import type { Binary, Idiom } from '../../language/ast.js';
import { printExpression, printIdiom } from '../../language/print.js';
import { transformExpression } from '../../language/visitor.js';
import { fullTextIndexOn } from '../../plan/access/full-text.js';
import { type Bm25, DEFAULT_BM25 } from '../../search/bm25.js';
import type { DocumentTerms } from '../../search/document-terms.js';
import { isObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import { documentTerms, indexedValue } from '../index/full-text.js';
import { noteOf } from '../record/candidates.js';
import type { Compiler, Evaluate, Execution, Frame, TextAnalyzer } from '../runtime/execution.js';

/** A condition at a row: the index whose analyzer judges it, and the terms that are looked for. */
export interface MatchSite {
  readonly catalog: DatabaseCatalog;
  readonly table: TableEntry;
  readonly index: IndexDefinition;
  readonly analyzer: TextAnalyzer;
  readonly row: ObjectValue;
  readonly query: readonly string[];
  readonly operator: 'AND' | 'OR';
}

/** Judges row by row; what an index has found by the very condition meets it. */
export function compileMatches(condition: Binary, compiler: Compiler): Evaluate {
  const siteOf = compileMatchSite(condition, compiler);
  return (frame) => {
    if (noteOf(frame.current)?.condition === condition) return true;
    return andThen(siteOf(frame), (site) =>
      andThen(rowTerms(frame.execution, site), (terms) => doesMatch(site, terms)),
    );
  };
}

export function doesMatch(
  { query, operator }: Pick<MatchSite, 'query' | 'operator'>,
  { counts }: DocumentTerms,
): boolean {
  if (query.length === 0) return false;
  const has = (term: string): boolean => counts.has(term);
  return operator === 'AND' ? query.every(has) : query.some(has);
}

/** The terms of a row, as far as it is seen. */
export function rowTerms(
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
  const isPath = left.kind === 'idiom' && left.start === undefined;
  const path = isPath ? printIdiom(left as Idiom) : undefined;
  const evaluate = compiler.expression(condition.right);
  const connective = typeof operator === 'object' && operator.kind === 'matches' ? operator.operator : undefined;
  return (frame) => {
    const { execution, current } = frame;
    return andThen(execution.context.catalog(), (catalog) => {
      const id = isObject(current) ? current['id'] : undefined;
      const table = id instanceof RecordId ? catalog?.tables.get(id.table) : undefined;
      const index = path === undefined || table === undefined ? undefined : judgingIndex(table, path);
      if (catalog === undefined || table === undefined || index === undefined || !isObject(current)) {
        throw failure('no_suitable_index', { expression: printedWith(execution.request.literals, condition) });
      }
      return andThen(analyzerOf(execution, index), (analyzer) =>
        andThen(evaluate(frame), (text) =>
          andThen(queryTerms(execution, analyzer, text), (query) => ({
            catalog,
            table,
            index,
            analyzer,
            row: current,
            query,
            operator: connective ?? 'AND',
          })),
        ),
      );
    });
  };
}

/** The condition as its text has it: literals were replaced by slots (`language/parameterize.ts`). */
function printedWith(literals: readonly Value[], condition: Binary): string {
  const restored = transformExpression(condition, (node) =>
    node.kind === 'param' && node.slot !== undefined ? { kind: 'literal', value: literals[node.slot] } : undefined,
  );
  return printExpression(restored);
}

/** By whose analyzer rows are judged: one that answers, or one that is still being built. */
function judgingIndex({ answering, indexes }: TableEntry, path: string): IndexDefinition | undefined {
  const building = () => indexes.filter(({ state }) => state === 'building');
  return fullTextIndexOn(answering, path) ?? fullTextIndexOn(building(), path);
}

export function analyzerOf(execution: Execution, { indexKind }: IndexDefinition): PromiseOrValue<TextAnalyzer> {
  return execution.services.analyzers.named(execution, indexKind.kind === 'fulltext' ? indexKind.analyzer : '');
}

/** What scores of an index are made with. */
export function bm25Of({ indexKind }: IndexDefinition): Bm25 {
  const [k1, b] = (indexKind.kind === 'fulltext' && indexKind.bm25) || [DEFAULT_BM25.k1, DEFAULT_BM25.b];
  return { k1, b };
}

/** The terms of a query. What isn't text has none, and finds nothing. */
export function queryTerms(
  execution: Execution,
  { analyzer, source }: TextAnalyzer,
  text: Value,
): PromiseOrValue<readonly string[]> {
  if (typeof text !== 'string') return [];
  const terms: string[] = [];
  const pause = () => execution.interrupt.checkpoint();
  return andThen(source(text), (analyzed) => {
    const done = analyzer.forQueries.terms(analyzed, pause, (term) => terms.push(term));
    return andThen(done, () => terms);
  });
}
