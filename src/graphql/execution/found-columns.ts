/** The notes of a list's conditions on each record: its score and highlights, and the distance of its vector. */
import type { Binary, Expression, Idiom, Projection, Projections } from '../../language/ast.js';
import { isArray, objectFrom, type Value } from '../../value/value.js';
import type { Conditions, NumberedMatch } from './conditions.js';
import { columns, fieldIdiom } from './select.js';

/** Columns of rows that no record has. */
export const SCORE = 'search::score';
export const HIGHLIGHTS = 'search::highlight';
export const DISTANCE = 'vector::distance::knn';

/** The marks around matching words. */
export interface HighlightMarks {
  readonly before: string;
  readonly after: string;
}

const DEFAULT_MARKS: HighlightMarks = { before: '<mark>', after: '</mark>' };

/** The columns, where those that conditions say something about are made by their functions. */
export function columnsFound(
  names: Iterable<string>,
  conditions: Conditions,
  marks: Partial<HighlightMarks> = {},
): Projections {
  const all = new Set(names);
  const { before, after } = { ...DEFAULT_MARKS, ...marks };
  const found: Projection[] = [];
  if (all.delete(SCORE)) found.push(made(SCORE, sumOfScores(conditions.matches)));
  if (all.delete(HIGHLIGHTS)) {
    const items = conditions.matches.map(({ number, field }): Expression => {
      const mark = call(HIGHLIGHTS, conditions.params.bind(before), conditions.params.bind(after), literal(number));
      return { kind: 'array', items: [literal(field), mark] };
    });
    found.push(made(HIGHLIGHTS, { kind: 'array', items }));
  }
  if (all.delete(DISTANCE)) {
    found.push(made(DISTANCE, conditions.neighbours === undefined ? literal(undefined) : call(DISTANCE)));
  }
  const plain = columns(all);
  if (found.length === 0 || plain.kind !== 'fields') return plain;
  return { ...plain, items: [...plain.items, ...found] };
}

/** The value of a column, by conditions: the sum of scores, or the field of that name. */
export function valueOfColumn(column: string, { matches }: Conditions): Expression {
  return column === SCORE ? sumOfScores(matches) : fieldIdiom([column]);
}

function made(name: string, expression: Expression): Projection {
  return { kind: 'expression', expression, alias: fieldIdiom([name]) };
}

function sumOfScores(matches: readonly NumberedMatch[]): Expression {
  const scores = matches.map(({ number }): Expression => call(SCORE, literal(number)));
  return scores.length === 0
    ? literal(undefined)
    : scores.reduce((left, right): Binary => ({ kind: 'binary', operator: '+', left, right }));
}

function call(path: string, ...args: readonly Expression[]): Expression {
  return { kind: 'call', path, args };
}

function literal(value: Value): Expression {
  return { kind: 'literal', value };
}

/** The texts of the fields that match, with marks; without marks where the index keeps no highlights. */
export function readHighlights(found: Value): Value {
  if (!isArray(found)) return undefined;
  return found.flatMap((each) => {
    const [field, shown] = isArray(each) ? each : [];
    const texts = (isArray(shown) ? shown : [shown]).filter((text) => typeof text === 'string');
    return texts.length === 0
      ? []
      : objectFrom([
          ['field', field],
          ['texts', texts],
        ]);
  });
}

/** A condition of full-text search on a field, which functions may refer to. */
export function matching(
  field: Idiom,
  operator: 'AND' | 'OR' | 'QUERY',
  name: string,
  query: string,
  conditions: Conditions,
): Binary {
  const number = conditions.noteMatch(name);
  const reference = number === undefined ? {} : { reference: number };
  return {
    kind: 'binary',
    operator: { kind: 'matches', ...reference, ...(operator !== 'AND' && { operator }) },
    left: field,
    right: conditions.params.bind(query),
  };
}
