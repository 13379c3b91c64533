/**
 * How the records of a table are found: by walking the whole table, by the id that the condition names, or through an index whose leading
 * fields it fixes.
 *
 * The condition of the query and that of the table's SELECT permission both may choose the index: a rule such as
 * `WHERE owner = $auth` then costs an index lookup rather than a scan. Either way every record found is judged again by both, so a path can
 * only ever find too much, never decide.
 */
import { invariant } from '../base/invariant.js';
import type { TableEntry } from '../catalog/database-catalog.js';
import type { IndexDefinition } from '../catalog/definition.js';
import type { BinaryOperator, Expression, Idiom, Permission, Select } from '../language/ast.js';
import { printIdiom } from '../language/print.js';
import { isDocumentFree } from './dependencies.js';

export type AccessPath = TableScan | RecordLookup | IndexScan;

export interface TableScan {
  readonly kind: 'table-scan';
  readonly table: string;
}

/** At most one record can meet the condition, since it says which: `WHERE id = $auth`. */
export interface RecordLookup {
  readonly kind: 'record-lookup';
  readonly table: string;
  readonly id: Operand;
}

export interface IndexScan {
  readonly kind: 'index-scan';
  readonly table: string;
  readonly index: IndexDefinition;
  /** What the leading fields of the index equal, in their order. */
  readonly equal: readonly Operand[];
  /** Bounds of the field after them. */
  readonly from?: Limit;
  readonly to?: Limit;
}

/** What a field is compared with, by the query, or by the rule, which is judged without regard to what its subject may see. */
export interface Operand {
  readonly value: Expression;
  readonly from: 'query' | 'rule';
}

export interface Limit extends Operand {
  readonly inclusive: boolean;
}

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
}

export function chooseAccessPath(entry: TableEntry, hints: AccessHints): AccessPath {
  const table = entry.definition.name;
  const scan: TableScan = { kind: 'table-scan', table };
  if (hints.with?.kind === 'noindex') return scan;
  const { rule, mayHide } = hints;
  const comparisons = [
    ...comparisonsOf(hints.where, 'query').filter(({ field }) => !mayHide(field)),
    ...(rule?.kind === 'where' ? comparisonsOf(rule.condition, 'rule') : []),
  ];
  const id = comparisons.find(({ path, operator }) => path === 'id' && isEquality(operator));
  if (id !== undefined) return { kind: 'record-lookup', table, id };
  const allowed = hints.with?.kind === 'index' ? new Set(hints.with.names) : undefined;
  let best: IndexScan | undefined;
  for (const index of entry.indexes) {
    if (allowed !== undefined && !allowed.has(index.name)) continue;
    const path = indexPath(table, index, comparisons);
    if (path !== undefined && index.fields.slice(path.equal.length).some(mayHide)) continue;
    if (path !== undefined && (best === undefined || worth(path) > worth(best))) best = path;
  }
  return best ?? scan;
}

/** A rough measure of how much a path narrows: a fixed field counts more than a bound, and unique indexes win ties. */
function worth(path: IndexScan): number {
  const unique = path.index.indexKind.kind === 'unique' && path.equal.length === path.index.fields.length;
  return path.equal.length * 10 + (path.from ? 3 : 0) + (path.to ? 3 : 0) + (unique ? 100 : 0);
}

function indexPath(table: string, index: IndexDefinition, comparisons: readonly Comparison[]): IndexScan | undefined {
  const kind = index.indexKind.kind;
  if (kind !== 'plain' && kind !== 'unique') return undefined;
  const equal: Operand[] = [];
  for (const field of index.fields) {
    const path = printIdiom(field);
    const fixed = comparisons.find((each) => each.path === path && isEquality(each.operator));
    if (fixed !== undefined) {
      equal.push(fixed);
      continue;
    }
    const from = comparisons.find((each) => each.path === path && (each.operator === '>' || each.operator === '>='));
    const to = comparisons.find((each) => each.path === path && (each.operator === '<' || each.operator === '<='));
    if (equal.length === 0 && from === undefined && to === undefined) return undefined;
    return {
      kind: 'index-scan',
      table,
      index,
      equal,
      ...(from && { from: { ...from, inclusive: from.operator === '>=' } }),
      ...(to && { to: { ...to, inclusive: to.operator === '<=' } }),
    };
  }
  return { kind: 'index-scan', table, index, equal };
}

interface Comparison extends Operand {
  readonly field: Idiom;
  /** The field as text. */
  readonly path: string;
  readonly operator: BinaryOperator;
}

const MIRRORED: ReadonlyMap<BinaryOperator, BinaryOperator> = new Map([
  ['=', '='],
  ['==', '=='],
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
]);

/** The comparisons of a plain field path with something independent of the record, all of which must hold. */
function comparisonsOf(condition: Expression | undefined, from: Operand['from']): Comparison[] {
  const found: Comparison[] = [];
  const waiting = condition === undefined ? [] : [condition];
  while (waiting.length > 0) {
    const each = waiting.pop();
    invariant(each !== undefined, 'the stack is not empty');
    if (each.kind !== 'binary') continue;
    if (each.operator === '&&') {
      waiting.push(each.right, each.left);
      continue;
    }
    const mirrored = MIRRORED.get(each.operator);
    if (mirrored === undefined) continue;
    if (isFieldPath(each.left) && isDocumentFree(each.right)) {
      found.push(comparison(each.left, each.operator, each.right, from));
    } else if (isFieldPath(each.right) && isDocumentFree(each.left)) {
      found.push(comparison(each.right, mirrored, each.left, from));
    }
  }
  return found;
}

function comparison(field: Idiom, operator: BinaryOperator, value: Expression, from: Operand['from']): Comparison {
  return { field, path: printIdiom(field), operator, value, from };
}

/** Whether an expression is a path of plain field names from the current document. */
function isFieldPath(expression: Expression): expression is Idiom {
  return (
    expression.kind === 'idiom' &&
    expression.start === undefined &&
    expression.parts.every((part) => part.kind === 'field')
  );
}

function isEquality(operator: BinaryOperator): boolean {
  return operator === '=' || operator === '==';
}
