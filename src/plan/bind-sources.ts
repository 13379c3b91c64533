/** Binds the targets after FROM, UPDATE and the like to sources of rows. */
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import type { Expression } from '../language/ast.js';
import type { AccessHints } from './access/facts.js';
import type { SourceNode } from './nodes.js';
import { chooseAccess, type ReaderRights } from './rewrite.js';
import type { RuleName } from './rules/rule.js';

/** The context of binding: the current definitions, and the principal. */
export interface Binding {
  readonly catalog: DatabaseCatalog | undefined;
  readonly reader: ReaderRights;
  readonly rules: ReadonlySet<RuleName>;
  /** What the only target names, if that is a param or the like. */
  readonly target?: NamedRecordKind | undefined;
}

/** One record, or a range of records. */
export type NamedRecordKind = 'record' | 'range';

/** The statement's requirements on its sources. */
interface Wanted extends AccessHints {
  /** Whether records are read to be shown rather than changed. */
  readonly isRead: boolean;
}

/** Binds the targets behind FROM to a source of rows; several sources are a union in their order. */
export function bindSources(targets: readonly Expression[], wanted: Wanted, binding: Binding): SourceNode {
  const [only, ...others] = targets;
  if (only !== undefined && others.length === 0) return bindSource(only, wanted, binding);
  // Records that are named by params are planned only as single targets.
  const each = { ...binding, target: undefined };
  return { kind: 'union', targets, inputs: targets.map((target) => bindSource(target, wanted, each)) };
}

function bindSource(target: Expression, wanted: Wanted, binding: Binding): SourceNode {
  switch (target.kind) {
    case 'table':
      return bindTable(target.name, wanted, binding);
    case 'record-id':
      return target.key.kind === 'key-range'
        ? { kind: 'named-range', range: target }
        : { kind: 'named-record', id: target };
    case 'subquery':
      return { kind: 'subquery', expression: target };
    case 'idiom':
      if (!target.parts.some(({ kind }) => kind === 'graph')) break;
      return { kind: 'graph-expand', expression: target };
  }
  switch (binding.target) {
    case 'record':
      return { kind: 'named-record', id: target };
    case 'range':
      return { kind: 'named-range', range: target };
    case undefined:
      return { kind: 'values', expression: target };
  }
}

/** A table that isn't there is walked, which says so. */
function bindTable(table: string, wanted: Wanted, { catalog, reader, rules }: Binding): SourceNode {
  const entry = catalog?.tables.get(table);
  return entry === undefined
    ? { kind: 'table-scan', table }
    : chooseAccess(entry, wanted, reader, wanted.isRead, rules);
}
