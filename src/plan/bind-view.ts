/** The trees of a view: what each change of a source makes of it, and what fills it when it is defined. */
import { viewSources } from '../catalog/definitions/catalog-draft.js';
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import type { TableDefinition } from '../catalog/definitions/definition.js';
import { failure } from '../errors/error.js';
import { invalidArguments } from '../functions/calls/arguments.js';
import { findIncrementalAggregate } from '../functions/incremental-aggregates.js';
import type { Call, Expression, Idiom, Projections, Select } from '../language/ast.js';
import { DOCUMENT_PARAMS } from '../language/engine-params.js';
import { printExpression } from '../language/print.js';
import { transformExpression } from '../language/visitor.js';
import { bindSources } from './bind-sources.js';
import { refuseNearest } from './nearest-condition.js';
import type { Filter, GroupColumn, MaterializeGroups, NamedProjection, StreamNode, ViewNode } from './nodes.js';
import { type ReaderRights, rewrite } from './rewrite.js';
import type { RuleName, StatementFacts } from './rules/rule.js';

/** A table that is a view, or is about to become one. */
export type View = Pick<TableDefinition, 'name'> & Required<Pick<TableDefinition, 'view'>>;

// No param of a query can have such names.
/** The param that denotes a key of the group. */
export const keyParam = (at: number): string => `\0key ${at}`;
/** The param that denotes the result of an aggregate. */
export const aggregateParam = (at: number): string => `\0aggregate ${at}`;

/**
 * The plan that maintains a view with a change of a source.
 * @throws TesseraError `view_value`, `view_all_fields`, `view_field`, `view_document`, `invalid_arguments`,
 * `nearest_misplaced`: what views can't select
 */
export function bindViewChanges(view: View, rules: ReadonlySet<RuleName>): ViewNode {
  return bindView(view, { kind: 'changes', tables: view.view.from }, rules);
}

/** The plan that fills a view from its existing sources. @throws as `bindViewChanges` */
export function bindViewBuild(view: View, catalog: DatabaseCatalog, rules: ReadonlySet<RuleName>): ViewNode {
  const there = viewSources(view).filter((name) => catalog.tables.has(name));
  const targets = there.map((name): Expression => ({ kind: 'table', name }));
  const hints = { where: view.view.where, isRead: true };
  return bindView(view, bindSources(targets, hints, { catalog, reader: UNRESTRICTED, rules }), rules);
}

/** Views are kept with PERMISSIONS off. */
const UNRESTRICTED: ReaderRights = { isChecked: false, mayHide: () => false };
const FACTS: StatementFacts = { isChecked: false, isVersioned: false };

function bindView({ name, view: select }: View, source: StreamNode, rules: ReadonlySet<RuleName>): ViewNode {
  const { projections, group, where } = select;
  refuseNearest(where, 'a view');
  // A rule makes of a filter another one.
  const input =
    where === undefined
      ? source
      : (rewrite({ kind: 'filter', condition: where, input: source }, FACTS, rules) as Filter);
  if (group !== undefined) return { kind: 'materialize-groups', view: name, ...columnsOf(select), input };
  if (projections.kind === 'value') throw failure('view_value', { grouped: false });
  return { kind: 'materialize-rows', view: name, projections, input };
}

type Columns = Pick<MaterializeGroups, 'keys' | 'aggregates' | 'columns'>;

/** Splits a selection with GROUP: the keys of a group, its aggregates, and expressions over both. */
function columnsOf({ projections, group }: Select): Columns {
  if (projections.kind === 'value') throw failure('view_value', { grouped: true });
  const keys = (group?.kind === 'by' ? group.paths : []).map((path) => keyOf(path, projections));
  const aggregates: Call[] = [];
  const columns = projections.items.map((item): GroupColumn => {
    if (item.kind === 'all') throw failure('view_all_fields');
    return { item, value: columnValue(item, keys, aggregates) };
  });
  return { keys: keys.map(({ expression }) => expression), aggregates, columns };
}

interface Key {
  readonly text: string;
  readonly expression: Expression;
}

/** A key may name a projection by its alias; otherwise it is a path in the row. */
function keyOf(path: Idiom, { items }: Extract<Projections, { kind: 'fields' }>): Key {
  const text = printExpression(path);
  for (const item of items) {
    if (item.kind === 'expression' && item.alias !== undefined && printExpression(item.alias) === text) {
      return { text, expression: item.expression };
    }
  }
  return { text, expression: path };
}

/** A projection over params; its aggregates are added to `aggregates`. */
function columnValue({ expression, alias }: NamedProjection, keys: readonly Key[], aggregates: Call[]): Expression {
  const named = alias === undefined ? -1 : indexOfKey(keys, printExpression(alias));
  if (named !== -1) return { kind: 'param', name: keyParam(named) };
  return transformExpression(expression, (each) => {
    // A group has no document.
    if (each.kind === 'param' && DOCUMENT_PARAMS.has(each.name)) throw failure('view_document', { param: each.name });
    if (each.kind === 'call') {
      if (findIncrementalAggregate(each.path) === undefined) return undefined;
      checkArguments(each);
      aggregates.push(each);
      return { kind: 'param', name: aggregateParam(aggregates.length - 1) };
    }
    if (each.kind !== 'idiom' || each.start !== undefined) return undefined;
    const text = printExpression(each);
    const at = indexOfKey(keys, text);
    if (at === -1) throw failure('view_field', { path: text });
    return { kind: 'param', name: keyParam(at) };
  });
}

function indexOfKey(keys: readonly Key[], text: string): number {
  return keys.findIndex((key) => key.text === text);
}

/** `count()` counts rows; apart from that each aggregate takes one argument. */
function checkArguments({ path, args }: Call): void {
  if (args.length === 1 || (args.length === 0 && path === 'count')) return;
  throw invalidArguments(path, 'Expected 1 argument');
}
