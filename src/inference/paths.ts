/**
 * The types of paths. As when they run: the first part that goes into a list applies all that follows to each element,
 * and from there on lists are taken as a whole.
 */
import type { DestructureField, Idiom, Part } from '../language/ast.js';
import type { Type } from '../value/type.js';
import { elementType, lastType } from './elements.js';
import { fieldType } from './fields.js';
import { chainLength, chainType } from './graph.js';
import { methodType } from './method-calls.js';
import { linkedRecord } from './record-types.js';
import type { TypeScope } from './scope.js';
import {
  ANY,
  alternativesOf,
  arrayOf,
  isAnyType,
  itemOf,
  mapType,
  NONE,
  type ObjectType,
  objectType,
  optionOf,
  unionOf,
  withKnownField,
} from './types.js';

export function pathType({ start, parts }: Idiom, scope: TypeScope): Type {
  const from = start === undefined ? scope.row : scope.type(start);
  return from === undefined ? NONE : follow(from, parts, scope, false);
}

/** `each`: a list on the way was gone into. */
function follow(type: Type, parts: readonly Part[], scope: TypeScope, each: boolean): Type {
  const [part] = parts;
  if (part === undefined) return type;
  if (part.kind === 'optional')
    return mapType(type, (one) => (isNothing(one) ? one : follow(one, parts.slice(1), scope, each)));
  const chain = parts.slice(0, Math.max(1, chainLength(parts)));
  const rest = parts.slice(chain.length);
  const descends = !each && (chain.length > 1 || (rest.length > 0 && DESCENDING.has(part.kind)));
  const alternatives = alternativesOf(type);
  const lists = descends ? alternatives.filter(isList) : [];
  const others = alternatives.filter((one) => !lists.includes(one));
  const results = lists.map((list) => {
    const item = itemOf(list) as Type;
    const reached = part.kind === 'all' ? resolved(item, scope) : partType(item, chain, scope);
    return arrayOf(follow(reached, rest, scope, true));
  });
  if (others.length > 0) results.push(follow(partType(unionOf(others), chain, scope), rest, scope, each));
  return unionOf(results);
}

/** Parts that go into lists where something follows them. */
const DESCENDING: ReadonlySet<Part['kind']> = new Set(['field', 'all', 'destructure', 'graph']);

function isList({ kind }: Type): boolean {
  return kind === 'array' || kind === 'tuple';
}

function isNothing({ kind }: Type): boolean {
  return kind === 'none' || kind === 'null';
}

type PartRows = {
  readonly [K in Exclude<Part['kind'], 'optional'>]: (
    type: Type,
    part: Extract<Part, { kind: K }>,
    scope: TypeScope,
    chain: readonly Part[],
  ) => Type;
};

const PARTS: PartRows = {
  field: (type, part, scope) => fieldType(type, part.name, part, scope),
  index: (type, { index }, scope) => elementType(type, index, scope),
  last: lastType,
  all: (type, _, scope) => mapType(type, (one) => allOf(one, scope)),
  where: (type, { condition }, scope) => {
    const item = mapType(type, (one) => (isList(one) ? (itemOf(one) as Type) : one));
    scope.within(item).type(condition);
    return arrayOf(item);
  },
  destructure: (type, { fields }, scope) => destructured(type, fields, scope),
  method: methodType,
  invoke: (_, { args }, scope) => {
    for (const arg of args) scope.type(arg);
    return ANY;
  },
  flatten: (type) =>
    mapType(type, (one) => {
      const item = isList(one) ? itemOf(one) : undefined;
      return item === undefined
        ? one
        : arrayOf(mapType(item, (inner) => (isList(inner) ? (itemOf(inner) as Type) : inner)));
    }),
  repeat: () => ANY,
  graph: (type, _, scope, chain) => chainType(type, chain, scope),
  recursion: () => ANY,
};

function partType(type: Type, chain: readonly Part[], scope: TypeScope): Type {
  const part = chain[0] as Exclude<Part, { kind: 'optional' }>;
  return (PARTS[part.kind] as (type: Type, part: Part, scope: TypeScope, chain: readonly Part[]) => Type)(
    type,
    part,
    scope,
    chain,
  );
}

/** A link as its record; other values stay. */
function resolved(type: Type, scope: TypeScope): Type {
  return mapType(type, (one) => (one.kind === 'record' ? linkedRecord(one, scope.inference.records) : one));
}

/** `.*`: what has no parts is the only one of its own. */
function allOf(type: Type, scope: TypeScope): Type {
  if (isAnyType(type) || type.kind === 'object' || type.kind === 'record') return resolved(type, scope);
  const item = type.kind === 'array' || type.kind === 'tuple' ? itemOf(type) : undefined;
  return arrayOf(item === undefined ? type : resolved(item, scope));
}

/** `.{a, b.*, c: expression, d.{e}}`. */
function destructured(type: Type, fields: readonly DestructureField[], scope: TypeScope): Type {
  return mapType(type, (one) => {
    if (one.kind === 'object') return objectWith(one, fields, scope);
    if (one.kind === 'record') return destructured(linkedRecord(one, scope.inference.records), fields, scope);
    const item = isList(one) ? itemOf(one) : undefined;
    if (item !== undefined) return arrayOf(destructured(item, fields, scope));
    return isAnyType(one) ? optionOf(ANY) : NONE;
  });
}

function objectWith(from: ObjectType, fields: readonly DestructureField[], scope: TypeScope): Type {
  let object = objectType([]);
  for (const field of fields) {
    if (field.kind === 'alias') object = withKnownField(object, field.name, scope.within(from).type(field.value));
    else {
      const value = fieldType(from, field.name, field, scope);
      if (field.kind === 'include') object = withKnownField(object, field.name, value);
      else if (field.kind === 'nested')
        object = withKnownField(object, field.name, destructured(value, field.fields, scope));
      else object = spread(object, field.name, value, scope);
    }
  }
  return object;
}

/** `b.*`: links and lists stand at their name; the fields of an object become fields of the new one. */
function spread(object: ObjectType, name: string, value: Type, scope: TypeScope): ObjectType {
  if (value.kind === 'object' && value.fields !== undefined && value.open !== true)
    return value.fields.reduce((made, [key, type]) => withKnownField(made, key, type), object);
  if (isList(value) || value.kind === 'record') return withKnownField(object, name, unionOf([allOf(value, scope)]));
  return objectType(object.fields ?? [], true);
}
