/** The rows of what stands behind FROM, and the records that statements write. */
import type { Expression } from '../language/ast.js';
import type { Type } from '../value/type.js';
import type { TypePurpose } from './schema.js';
import type { TypeScope } from './scope.js';
import { ANY_OBJECT } from './tables.js';
import { alternativesOf, isAnyType, itemOf, NEVER, NONE, recordOf, unionOf } from './types.js';

/** What a parameter in the place of a target may be. */
const TARGET: Type = unionOf([recordOf(), { kind: 'table', tables: [] }]);

/** Rows, and whether there may be links to missing records among the targets. */
export interface Sources {
  readonly row: Type;
  readonly hasLinks: boolean;
}

export function rowSources(from: readonly Expression[], scope: TypeScope): Sources {
  const types = from.map((source) => scope.type(source, TARGET));
  return {
    row: unionOf(types.map((type) => rowsOf(type, scope))),
    hasLinks: from.some(({ kind }, at) => kind !== 'table' && hasLink(types[at] as Type)),
  };
}

/** Tables and links are their records, lists their elements. */
export function rowsOf(type: Type, scope: TypeScope): Type {
  const { records } = scope.inference;
  return unionOf(
    alternativesOf(type).map((one) => {
      if (one.kind === 'record' || one.kind === 'table') return records.recordOf(one.tables);
      const item = itemOf(one);
      if (item !== undefined) return rowsOf(item, scope);
      return one.kind === 'none' || one.kind === 'null' ? NEVER : one;
    }),
  );
}

function hasLink(type: Type): boolean {
  return alternativesOf(type).some((one) => {
    const item = itemOf(one);
    return one.kind === 'record' || isAnyType(one) || (item !== undefined && hasLink(item));
  });
}

/** The tables of records that are written; `undefined` if any may be. */
export function tablesOf(targets: readonly Expression[], scope: TypeScope): readonly string[] | undefined {
  const names = targets.map((target) => namesIn(scope.type(target, TARGET)));
  return names.every((each) => each !== undefined) ? [...new Set(names.flat() as string[])] : undefined;
}

function namesIn(type: Type): readonly string[] | undefined {
  const names = alternativesOf(type).map((one) => {
    if (one.kind === 'record' || one.kind === 'table') return one.tables.length === 0 ? undefined : one.tables;
    if (one.kind === 'object') return namesIn(one.fields?.find(([name]) => name === 'id')?.[1] ?? NONE);
    const item = itemOf(one);
    return item === undefined ? undefined : namesIn(item);
  });
  return names.every((each) => each !== undefined) ? (names.flat() as string[]) : undefined;
}

/** The records of these tables; of any. */
export function recordsOf(tables: readonly string[] | undefined, scope: TypeScope, purpose?: TypePurpose): Type {
  return tables === undefined || tables.length === 0 ? ANY_OBJECT : scope.inference.records.recordOf(tables, purpose);
}
