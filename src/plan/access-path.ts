/**
 * How the records of a table are found: by walking the whole table or a range of its ids, by the id that the condition names, or through an
 * index whose leading fields it fixes. Records stand in the order of their ids, and so do those of equal values in an index.
 *
 * The condition of the query and that of the table's SELECT permission both may choose the index: a rule such as
 * `WHERE owner = $auth` then costs an index lookup rather than a scan. Either way every record found is judged again by both, so a path can
 * only ever find too much, never decide.
 */
import { invariant } from '../base/invariant.js';
import type { TableEntry } from '../catalog/database-catalog.js';
import type { IndexDefinition } from '../catalog/definition.js';
import type { BinaryOperator, Expression, Idiom, Permission, Select } from '../language/ast.js';
import { printExpression, printIdiom } from '../language/print.js';
import { isDocumentFree } from './dependencies.js';

export type AccessPath = TableScan | RecordLookup | RecordRange | IndexScan | IndexUnion;

/** In which direction a path is walked, where that gives the rows in the order that is wanted. */
export type Direction = 'forward' | 'backward';

export interface TableScan {
  readonly kind: 'table-scan';
  readonly table: string;
  readonly direction?: Direction;
}

/** At most one record can meet the condition, since it says which: `WHERE id = $auth`. */
export interface RecordLookup {
  readonly kind: 'record-lookup';
  readonly table: string;
  readonly id: Operand;
}

/** Only records whose ids lie between bounds can meet the condition: `WHERE id > $last`. */
export interface RecordRange extends Bounds {
  readonly kind: 'record-range';
  readonly table: string;
  readonly direction?: Direction;
}

/** The bounds are those of the field after the ones that are equal to something; after all fields of a plain index comes the id. */
export interface IndexScan extends Bounds {
  readonly kind: 'index-scan';
  readonly table: string;
  readonly index: IndexDefinition;
  /** What the leading fields of the index equal, in their order. */
  readonly equal: readonly Operand[];
  /** A list of which the field after them equals an element. */
  readonly anyOf?: Operand;
  readonly direction?: Direction;
}

/** One scan for each alternative of a condition: `a = 1 OR b = 2`. */
export interface IndexUnion {
  readonly kind: 'index-union';
  readonly table: string;
  readonly branches: readonly IndexScan[];
}

/** What a field is compared with, by the query, or by the rule, which is judged without regard to what its subject may see. */
export interface Operand {
  readonly value: Expression;
  readonly from: 'query' | 'rule';
}

export interface Limit extends Operand {
  readonly inclusive: boolean;
}

export interface Bounds {
  readonly from?: Limit;
  readonly to?: Limit;
}

export const ID: Idiom = { kind: 'idiom', parts: [{ kind: 'field', name: 'id' }] };

/** What a query lets an access path know. */
export interface AccessHints {
  readonly where?: Expression | undefined;
  readonly with?: Select['with'] | undefined;
  /** The rule that the reader is subject to. */
  readonly rule?: Permission | undefined;
  /**
   * Whether something at a field may be hidden from the reader. What is compared is what the reader sees, and an index knows only what is
   * stored; the order of its keys would tell of it as well.
   */
  readonly mayHide: (path: Idiom) => boolean;
  /** The order in which the first rows are wanted. */
  readonly order?: OrderHint | undefined;
}

export interface OrderHint {
  readonly keys: readonly OrderKeyHint[];
}

export interface OrderKeyHint {
  readonly path: Idiom;
  readonly direction: Direction;
}

export function chooseAccessPath(entry: TableEntry, hints: AccessHints): AccessPath {
  const path = choosePath(entry, hints);
  return (hints.order && inOrder(path, entry, hints, hints.order)) ?? path;
}

/** The path with a direction, or one instead of it that has one. */
function inOrder(
  path: AccessPath,
  { definition, indexes }: TableEntry,
  { where, with: hint, rule, mayHide }: AccessHints,
  order: OrderHint,
): AccessPath | undefined {
  const keys = withoutFixed(order.keys, path, mayHide);
  const direction = keys[0]?.direction;
  if (direction === undefined || keys.some((key) => key.direction !== direction)) return undefined;
  const wanted = keys.map((key) => printIdiom(key.path)).join();
  const list = (fields: readonly Idiom[]): boolean => fields.map((field) => printIdiom(field)).join() === wanted;
  const lists = (fields: readonly Idiom[]): boolean => list(fields) || (list([...fields, ID]) && !mayHide(ID));
  if (path.kind === 'index-scan') {
    const { equal, anyOf, index } = path;
    return anyOf === undefined && lists(index.fields.slice(equal.length)) ? { ...path, direction } : undefined;
  }
  if (path.kind === 'record-range' || path.kind === 'table-scan') {
    if (lists([])) return { ...path, direction };
  }
  // Where most records are turned down, sorting those that aren't is less work than looking up each in order.
  if (path.kind !== 'table-scan' || where !== undefined || rule?.kind === 'where') return undefined;
  if (hint?.kind === 'noindex') return undefined;
  const index = indexes.find(
    (each) => isOrdered(each) && isAllowed(each, hint) && lists(each.fields) && !each.fields.some(mayHide),
  );
  return index && { kind: 'index-scan', table: definition.name, index, equal: [], direction };
}

/** The keys that order anything: fields that the path holds to one value are the same in all rows. */
function withoutFixed(
  keys: readonly OrderKeyHint[],
  path: AccessPath,
  mayHide: AccessHints['mayHide'],
): readonly OrderKeyHint[] {
  if (path.kind !== 'index-scan') return keys;
  const fixed = new Set(path.index.fields.slice(0, path.equal.length).map((field) => printIdiom(field)));
  return keys.filter((key) => !fixed.has(printIdiom(key.path)) || mayHide(key.path));
}

function isOrdered({ fields, indexKind: { kind } }: IndexDefinition): boolean {
  return (kind === 'plain' || kind === 'unique') && !fields.some(isOfKey);
}

/** Whether a column is a part of the key: what a query finds by such a path is a field of the record. */
function isOfKey({ parts }: Idiom): boolean {
  const [first, second] = parts;
  return first?.kind === 'field' && first.name === 'id' && second?.kind === 'field';
}

function isAllowed({ name }: IndexDefinition, hint: AccessHints['with']): boolean {
  return hint?.kind !== 'index' || hint.names.includes(name);
}

function choosePath(entry: TableEntry, hints: AccessHints): AccessPath {
  const table = entry.definition.name;
  const scan: TableScan = { kind: 'table-scan', table };
  if (hints.with?.kind === 'noindex') return scan;
  const { rule, mayHide } = hints;
  const isOpen = ({ field }: Comparison): boolean => !mayHide(field);
  const query = demandsOf(hints.where, 'query');
  const ruled = demandsOf(rule?.kind === 'where' ? rule.condition : undefined, 'rule');
  const comparisons = [...query.all.filter(isOpen), ...ruled.all];
  const id = comparisons.find(({ path, operator }) => path === 'id' && isEquality(operator));
  if (id !== undefined) return { kind: 'record-lookup', table, id };
  const best = bestIndex(entry, hints, comparisons);
  const range = boundsOf('id', comparisons);
  if (best !== undefined && (range === undefined || isPreferred(best, entry, hints))) return best;
  if (range !== undefined) return { kind: 'record-range', table, ...range };
  const alternatives = [
    ...query.choices.map((choice) => choice.map((each) => each.filter(isOpen))),
    // Rows come alternative by alternative, and so tell which one they meet.
    ...ruled.choices.filter((choice) => choice.every((each) => each.every(isOpen))),
  ];
  for (const choice of alternatives) {
    const branches = choice.map((each) => bestIndex(entry, hints, [...each, ...comparisons]));
    if (branches.every((branch) => branch !== undefined)) return { kind: 'index-union', table, branches };
  }
  return scan;
}

/**
 * Whether the entries of an index that a path finds are those of the records that meet the condition, neither more nor fewer, provided that
 * none is listed several times: each part of the condition is one of the path's bounds, and no field of the index is left open behind them.
 */
export function answersAlone(path: AccessPath, where: Expression): path is IndexScan {
  if (path.kind !== 'index-scan' || path.anyOf !== undefined) return false;
  const { equal, from, to, index } = path;
  const bounds = [from, to].filter((limit) => limit !== undefined);
  if (equal.length + Math.min(bounds.length, 1) !== index.fields.length) return false;
  const used = new Set([...equal, ...bounds].map(({ value }) => value));
  const parts = operandsOf(where, '&&').map((part) => comparisonOf(part, 'query'));
  return (
    parts.length === used.size &&
    parts.every((part) => part !== undefined && used.has(part.value) && part.path === printIdiom(part.field))
  );
}

/** Whether an index is used rather than a range of ids, whose records needn't be looked up one by one. */
function isPreferred(path: IndexScan, entry: TableEntry, hints: AccessHints): boolean {
  if (path.equal.length > 0 || path.anyOf !== undefined || hints.with?.kind === 'index') return true;
  return hints.order !== undefined && inOrder(path, entry, hints, hints.order) !== undefined;
}

function bestIndex(entry: TableEntry, hints: AccessHints, comparisons: readonly Comparison[]): IndexScan | undefined {
  const { with: hint, mayHide, order } = hints;
  let best: IndexScan | undefined;
  let most = 0;
  for (const index of entry.indexes) {
    if (!isAllowed(index, hint)) continue;
    const path = indexPath(entry.definition.name, index, comparisons);
    if (path === undefined || index.fields.slice(path.equal.length).some(mayHide)) continue;
    // Of two that narrow alike, the one that finds rows in the order that is wanted.
    const value = worth(path) + (order !== undefined && inOrder(path, entry, hints, order) !== undefined ? 1 : 0);
    if (value > most) {
      best = path;
      most = value;
    }
  }
  return best;
}

/** A rough measure of how much a path narrows: a fixed field counts more than a bound, and unique indexes win ties. */
function worth(path: IndexScan): number {
  const unique = path.index.indexKind.kind === 'unique' && path.equal.length === path.index.fields.length;
  return path.equal.length * 10 + (path.anyOf ? 8 : 0) + (path.from ? 3 : 0) + (path.to ? 3 : 0) + (unique ? 100 : 0);
}

function indexPath(table: string, index: IndexDefinition, comparisons: readonly Comparison[]): IndexScan | undefined {
  if (!isOrdered(index)) return undefined;
  const equal: Operand[] = [];
  for (const field of index.fields) {
    const path = printIdiom(field);
    const fixed = comparisons.find((each) => each.path === path && isEquality(each.operator));
    if (fixed !== undefined) {
      equal.push(fixed);
      continue;
    }
    const anyOf = comparisons.find((each) => each.path === path && each.operator === 'IN');
    if (anyOf !== undefined) return { kind: 'index-scan', table, index, equal, anyOf };
    const bounds = boundsOf(path, comparisons);
    if (equal.length === 0 && bounds === undefined) return undefined;
    return { kind: 'index-scan', table, index, equal, ...bounds };
  }
  // What a unique index lists is one record, without its id.
  return {
    kind: 'index-scan',
    table,
    index,
    equal,
    ...(index.indexKind.kind === 'plain' && boundsOf('id', comparisons)),
  };
}

/** What a field is greater and less than, if anything. */
function boundsOf(path: string, comparisons: readonly Comparison[]): Bounds | undefined {
  const from = comparisons.find((each) => each.path === path && (each.operator === '>' || each.operator === '>='));
  const to = comparisons.find((each) => each.path === path && (each.operator === '<' || each.operator === '<='));
  if (from === undefined && to === undefined) return undefined;
  return {
    ...(from && { from: { ...from, inclusive: from.operator === '>=' } }),
    ...(to && { to: { ...to, inclusive: to.operator === '<=' } }),
  };
}

interface Comparison extends Operand {
  readonly field: Idiom;
  /** The field as text. */
  readonly path: string;
  readonly operator: BinaryOperator;
}

/** What a condition demands of a record. */
interface Demands {
  /** All of these must hold. */
  readonly all: Comparison[];
  /** Of each of these, all comparisons of one list must. */
  readonly choices: (readonly Comparison[])[][];
}

/** How a field's comparison with a value is looked for: with the value, with each of a list, or among the elements of the field. */
interface Search {
  readonly operator: BinaryOperator;
  readonly amongElements?: true;
}

/** By the operator that has the field at its left. */
const SEARCHES: ReadonlyMap<BinaryOperator, Search> = new Map<BinaryOperator, Search>([
  ...(['=', '==', '<', '<=', '>', '>=', 'IN'] as const).map((operator) => [operator, { operator }] as const),
  ['CONTAINS', { operator: '=', amongElements: true }],
  ['CONTAINSANY', { operator: 'IN', amongElements: true }],
]);

/** The operator with its sides exchanged. */
const MIRRORED: ReadonlyMap<BinaryOperator, BinaryOperator> = new Map([
  ['=', '='],
  ['==', '=='],
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
  ['IN', 'CONTAINS'],
  ['CONTAINS', 'IN'],
]);

/** The comparisons of a plain field path with something independent of the record. */
function demandsOf(condition: Expression | undefined, from: Operand['from']): Demands {
  const demands: Demands = { all: [], choices: [] };
  for (const each of operandsOf(condition, '&&')) {
    if (each.kind === 'binary' && each.operator === '||') {
      const choice = operandsOf(each, '||').map((alternative) => demandsOf(alternative, from).all);
      demands.choices.push(choice);
      demands.all.push(...sharedBounds(choice));
    }
    const found = comparisonOf(each, from);
    if (found !== undefined) demands.all.push(found);
  }
  return demands;
}

/** The operators that imply a bound, by the operator of that bound. */
const IMPLYING = [
  ['>=', new Set<BinaryOperator>(['=', '==', '>', '>='])],
  ['<=', new Set<BinaryOperator>(['=', '==', '<', '<='])],
] as const;

/** Bounds that all alternatives of a condition have in common: `a >= $a` where `a > $a OR (a = $a AND b > $b)`. */
function sharedBounds([first = [], ...others]: readonly (readonly Comparison[])[]): Comparison[] {
  return IMPLYING.flatMap(([operator, implying]) =>
    first
      .filter((one) => {
        const value = printExpression(one.value);
        const isShared = (other: Comparison): boolean =>
          other.path === one.path && implying.has(other.operator) && printExpression(other.value) === value;
        return implying.has(one.operator) && others.every((alternative) => alternative.some(isShared));
      })
      .map((one) => ({ ...one, operator })),
  );
}

/** What is joined by an operator, from left to right. */
function operandsOf(expression: Expression | undefined, operator: '&&' | '||'): Expression[] {
  const found: Expression[] = [];
  const waiting = expression === undefined ? [] : [expression];
  while (waiting.length > 0) {
    const each = waiting.pop();
    invariant(each !== undefined, 'the stack is not empty');
    if (each.kind === 'binary' && each.operator === operator) waiting.push(each.right, each.left);
    else found.push(each);
  }
  return found;
}

function comparisonOf(each: Expression, from: Operand['from']): Comparison | undefined {
  if (each.kind !== 'binary') return undefined;
  const { left, operator, right } = each;
  if (isFieldPath(left) && isDocumentFree(right)) return comparison(left, SEARCHES.get(operator), right, from);
  const mirrored = MIRRORED.get(operator);
  if (mirrored === undefined || !isFieldPath(right) || !isDocumentFree(left)) return undefined;
  return comparison(right, SEARCHES.get(mirrored), left, from);
}

function comparison(
  field: Idiom,
  search: Search | undefined,
  value: Expression,
  from: Operand['from'],
): Comparison | undefined {
  if (search === undefined) return undefined;
  const path = printIdiom(search.amongElements ? { ...field, parts: [...field.parts, { kind: 'all' }] } : field);
  return { field, path, operator: search.operator, value, from };
}

/** Whether an expression is a path of plain field names from the current document. */
export function isFieldPath(expression: Expression): expression is Idiom {
  return (
    expression.kind === 'idiom' &&
    expression.start === undefined &&
    expression.parts.every((part) => part.kind === 'field')
  );
}

function isEquality(operator: BinaryOperator): boolean {
  return operator === '=' || operator === '==';
}
