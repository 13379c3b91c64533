/**
 * Pieces of SELECT statements as plain data. What comes from a client never becomes part of a statement: it is bound to
 * params.
 */
import type {
  Assignment,
  Data,
  Expression,
  GraphStep,
  Idiom,
  Projections,
  Select,
  Statement,
} from '../../language/ast.js';
import type { ObjectValue } from '../../value/value.js';

/** The path of nested fields: `a.b.c`. */
export function fieldIdiom(names: readonly string[]): Idiom {
  return { kind: 'idiom', parts: names.map((name) => ({ kind: 'field' as const, name })) };
}

export const ID_PATH: Expression = { kind: 'idiom', parts: [{ kind: 'field', name: 'id' }] };

/** The columns, each under its own name, and the id before them. */
export function columns(names: Iterable<string>): Projections {
  const all = new Set(['id', ...names]);
  return {
    kind: 'fields',
    items: Array.from(all, (name) => ({ kind: 'expression', expression: fieldIdiom([name]) })),
  };
}

/** The same of a record as it was before a statement has deleted it. */
export function columnsBefore(names: Iterable<string>): Projections {
  const all = new Set(['id', ...names]);
  const before: Expression = { kind: 'param', name: 'before' };
  return {
    kind: 'fields',
    items: Array.from(all, (name) => {
      const { parts } = fieldIdiom([name]);
      return { kind: 'expression', expression: { kind: 'idiom', start: before, parts }, alias: fieldIdiom([name]) };
    }),
  };
}

/** SET for these columns. A statement without any data can't set any. */
export function setting(names: readonly string[], value: (name: string) => Expression): { readonly data?: Data } {
  if (names.length === 0) return {};
  const assignments = names.map(
    (name): Assignment => ({ path: fieldIdiom([name]), operator: '=', value: value(name) }),
  );
  return { data: { kind: 'set', assignments } };
}

export type Clauses = Pick<Select, 'where' | 'group' | 'order' | 'limit' | 'start' | 'version'>;

/** A SELECT without its sources. */
export interface SelectParts {
  readonly projections: Projections;
  readonly clauses: Clauses;
}

/** A SELECT as a syntax tree. */
export function select(projections: Projections, from: Expression, clauses: Clauses = {}): Select {
  // A record that is listed but isn't there, or is hidden, would be a row without an id.
  const present = from.kind === 'table' ? {} : { where: ID_PATH };
  return { kind: 'select', projections, only: false, from: [from], ...present, ...clauses };
}

export type EdgeDirection = Extract<GraphStep['direction'], 'in' | 'out'>;

/** The name under which `selectEdges` returns the edges of a record. */
export const EDGES = 'edges';

/** For each record its id and, under `edges`, the result of each part on its edges of one table. */
export function selectEdges(
  ids: Expression,
  { table, direction }: { readonly table: string; readonly direction: EdgeDirection },
  parts: readonly SelectParts[],
): Select {
  const items = parts.map(({ projections, clauses: { version: _, ...clauses } }): Expression => {
    const step: GraphStep = { kind: 'graph', direction, subjects: [{ table }], projections, ...clauses };
    return { kind: 'idiom', parts: [step] };
  });
  return select(
    {
      kind: 'fields',
      items: [
        { kind: 'expression', expression: fieldIdiom(['id']) },
        { kind: 'expression', expression: { kind: 'array', items }, alias: fieldIdiom([EDGES]) },
      ],
    },
    ids,
  );
}

/**
 * All conditions or any of them, joined as a balanced tree, so that many of them don't nest deeply. None at all is true
 * or false.
 */
export function join(operator: '&&' | '||', conditions: readonly Expression[]): Expression {
  const [first] = conditions;
  if (first === undefined) return { kind: 'literal', value: operator === '&&' };
  if (conditions.length === 1) return first;
  const middle = conditions.length >> 1;
  return {
    kind: 'binary',
    operator,
    left: join(operator, conditions.slice(0, middle)),
    right: join(operator, conditions.slice(middle)),
  };
}

/** A statement with the values of its params. */
export interface BoundStatement<S extends Statement = Select> {
  readonly statement: S;
  readonly values: ObjectValue;
}

/** Several statements that share their params. */
export interface BoundStatements<S extends Statement = Statement> {
  readonly statements: readonly S[];
  readonly values: ObjectValue;
}
