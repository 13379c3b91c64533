/** What clauses behind the projections do to the types of rows: SPLIT, OMIT, FETCH. */
import type { Expression, Part } from '../language/ast.js';
import type { Type } from '../value/type.js';
import { linkedRecord } from './record-types.js';
import type { TypeScope } from './scope.js';
import {
  ANY,
  alternativesOf,
  arrayOf,
  isAnyType,
  itemOf,
  mapType,
  NEVER,
  objectType,
  unionOf,
  withKnownField,
} from './types.js';

type Change = (type: Type) => Type;

/** The type with what stands at a path changed, in each element of a list on the way; fields unknown to it stay so. */
function changedAt(type: Type, [part, ...rest]: readonly Part[], change: Change): Type {
  if (part === undefined) return change(type);
  return mapType(type, (one) => {
    if (isAnyType(one)) return ANY;
    const item = one.kind === 'array' || one.kind === 'set' ? itemOf(one) : undefined;
    if (item !== undefined) return arrayOf(changedAt(item, part.kind === 'all' ? rest : [part, ...rest], change));
    if (one.kind !== 'object' || part.kind !== 'field') return one;
    const found = one.fields?.find(([name]) => name === part.name);
    return found === undefined ? one : withKnownField(one, part.name, changedAt(found[1], rest, change));
  });
}

/** A row for each element. One whose list is empty stays as it is. */
export function splitRow(row: Type, parts: readonly Part[]): Type {
  return changedAt(row, parts, (type) =>
    unionOf(
      alternativesOf(type).flatMap((one) => {
        const item = itemOf(one);
        return item === undefined ? [one] : [item, arrayOf(NEVER)];
      }),
    ),
  );
}

/** Without the fields that OMIT names. */
export function omitFrom(row: Type, omitted: readonly Expression[]): Type {
  return omitted.reduce((type, expression) => {
    if (expression.kind !== 'idiom' || expression.start !== undefined) return ANY;
    const last = expression.parts.at(-1);
    if (last?.kind !== 'field') return ANY;
    return changedAt(type, expression.parts.slice(0, -1), (within) =>
      mapType(within, (one) =>
        one.kind === 'object' && one.fields !== undefined
          ? objectType(
              one.fields.filter(([name]) => name !== last.name),
              one.open,
            )
          : one,
      ),
    );
  }, row);
}

/** With records in place of links on the paths of FETCH. */
export function fetchIn(row: Type, fetched: readonly Expression[], scope: TypeScope): Type {
  return fetched.reduce(
    (type, expression) =>
      expression.kind === 'idiom' && expression.start === undefined ? followed(type, expression.parts, scope) : ANY,
    row,
  );
}

function followed(type: Type, parts: readonly Part[], scope: TypeScope): Type {
  return mapType(type, (one) => {
    if (isAnyType(one)) return ANY;
    if (one.kind === 'record') {
      const record = linkedRecord(one, scope.inference.records);
      return parts.length === 0 ? record : followed(record, parts, scope);
    }
    const [part, ...rest] = parts;
    const item = one.kind === 'array' || one.kind === 'set' || one.kind === 'tuple' ? itemOf(one) : undefined;
    if (item !== undefined) return arrayOf(followed(item, part?.kind === 'all' ? rest : parts, scope));
    if (one.kind !== 'object' || part === undefined) return one;
    if (part.kind !== 'field') return objectType([], true);
    const found = one.fields?.find(([name]) => name === part.name);
    return found === undefined ? one : withKnownField(one, part.name, followed(found[1], rest, scope));
  });
}
