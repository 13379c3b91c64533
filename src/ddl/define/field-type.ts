/** Whether the type of a nested field is compatible with that of the enclosing field, as in the reference engine. */
import type { Part } from '../../language/ast.js';
import { typeText } from '../../value/text/type-text.js';
import type { Type } from '../../value/type.js';
import { isNumber, kindOf } from '../../value/value.js';

/**
 * Whether a field of type `outer` may have one of type `inner` at the path `parts` within it. A type must equal
 * the existing one, or be less specific: all members of a union but NONE must allow it, and for a literal it may be the
 * kind.
 */
export function mayHold(outer: Type, parts: readonly Part[], inner: Type): boolean {
  if (outer.kind === 'any' || inner.kind === 'any') return true;
  const [part, ...rest] = parts;
  if (part === undefined) return isAllowed(outer, inner);
  const holds = (type: Type): boolean => mayHold(type, rest, inner);
  switch (outer.kind) {
    case 'union':
      return membersOf(outer).every((member) => mayHold(member, parts, inner));
    case 'array':
    case 'set':
      return isElement(part) && (outer.item === undefined || holds(outer.item));
    case 'tuple':
      if (part.kind === 'all') return outer.items.every(holds);
      return outer.items.some((item, at) => at === indexOf(part) && holds(item));
    case 'object': {
      const { fields } = outer;
      if (part.kind !== 'field' && part.kind !== 'all') return false;
      if (fields === undefined) return true;
      if (part.kind === 'all') return fields.every(([, type]) => holds(type));
      return fields.some(([name, type]) => name === part.name && holds(type));
    }
    default:
      return false;
  }
}

/** Whether values of a type may have parts: if all its members but NONE may; a link has none. */
export function mayHaveParts(type: Type): boolean {
  if (type.kind === 'union') return membersOf(type).every(mayHaveParts);
  return WITH_PARTS.has(type.kind);
}

const WITH_PARTS: ReadonlySet<Type['kind']> = new Set(['any', 'object', 'array', 'set', 'tuple']);

function membersOf({ of }: Extract<Type, { kind: 'union' }>): readonly Type[] {
  return of.filter(({ kind }) => kind !== 'none');
}

function isElement(part: Part): boolean {
  return part.kind === 'all' || indexOf(part) !== undefined;
}

/** The number of an element that a part names. */
function indexOf(part: Part): number | undefined {
  if (part.kind !== 'index' || part.index.kind !== 'literal') return undefined;
  return typeof part.index.value === 'number' ? part.index.value : undefined;
}

function isAllowed(outer: Type, inner: Type): boolean {
  if (inner.kind === 'any' || typeText(inner) === typeText(outer)) return true;
  if (outer.kind === 'union') return membersOf(outer).every((member) => isAllowed(member, inner));
  const kind = kindOfLiteral(outer);
  return kind !== undefined && typeText(kind) === typeText(inner);
}

/** The general type of a literal type: `number` for `1`, `array<int, 2>` for `[int, int]`. */
function kindOfLiteral(type: Type): Type | undefined {
  switch (type.kind) {
    case 'literal':
      return isNumber(type.value) ? { kind: 'number' } : ({ kind: kindOf(type.value) } as Type);
    case 'tuple': {
      const [item, ...others] = type.items;
      const isUniform = item !== undefined && others.every((other) => typeText(other) === typeText(item));
      return isUniform ? { kind: 'array', item, length: type.items.length } : { kind: 'array' };
    }
    case 'object':
      return type.fields === undefined ? undefined : { kind: 'object' };
    default:
      return undefined;
  }
}
