/** The types of fields of values: of objects, of the records behind links, of elements of lists. */
import type { Type } from '../value/type.js';
import type { TypeScope } from './scope.js';
import { missingField } from './tables.js';
import { ANY, alternativesOf, arrayOf, exclude, fieldIn, isAnyType, itemOf, NONE, optionOf, unionOf } from './types.js';

/** A field, or what is known of objects that can't have it. */
interface Found {
  readonly types: readonly Type[];
  readonly missingIn: readonly string[];
}

/** The type of a field. It is a fault where no alternative can have it. */
export function fieldType(type: Type, name: string, at: object, scope: TypeScope): Type {
  const { types, missingIn } = find(type, name, scope);
  const [table] = missingIn;
  if (table !== undefined && isNowhere(type, name, scope)) {
    missingField(name, table, at, scope);
    return ANY;
  }
  return missingIn.length > 0 ? optionOf(unionOf(types)) : unionOf(types);
}

function isNowhere(type: Type, name: string, scope: TypeScope): boolean {
  return find(exclude(type, 'none', 'null'), name, scope).types.length === 0;
}

function find(type: Type, name: string, scope: TypeScope): Found {
  const found = alternativesOf(type).map((one) => findIn(one, name, scope));
  return { types: found.flatMap(({ types }) => types), missingIn: found.flatMap(({ missingIn }) => missingIn) };
}

const only = (...types: readonly Type[]): Found => ({ types, missingIn: [] });

function findIn(type: Type, name: string, scope: TypeScope): Found {
  const { records } = scope.inference;
  if (type.kind === 'object') {
    const field = fieldIn(type, name);
    if (field !== undefined) return only(field);
    if (type.fields === undefined || type.open === true) return only(ANY);
    const owner = records.ownerOf(type);
    return owner === undefined ? only(NONE) : { types: [], missingIn: [owner] };
  }
  if (type.kind === 'record') {
    const { types, missingIn } = find(records.recordOf(type.tables), name, scope);
    return { types: types.map(optionOf), missingIn };
  }
  const item = type.kind === 'array' || type.kind === 'tuple' ? itemOf(type) : undefined;
  if (item !== undefined) {
    const { types, missingIn } = find(item, name, scope);
    if (missingIn.length > 0 && isNowhere(item, name, scope)) return { types: [], missingIn };
    return only(arrayOf(missingIn.length > 0 ? optionOf(unionOf(types)) : unionOf(types)));
  }
  return only(isAnyType(type) || type.kind === 'geometry' ? ANY : NONE);
}
