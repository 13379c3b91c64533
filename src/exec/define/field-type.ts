/** Whether the type of a nested field fits into that of the field around it. */
import type { Part } from '../../language/ast.js';
import { typeText } from '../../value/text/type-text.js';
import type { Type } from '../../value/type.js';
import { kindOf } from '../../value/value.js';

/** Whether a value of type `outer` may hold, at the path `parts`, one of type `inner`. Without `inner` anything may be there. */
export function mayHold(outer: Type, parts: readonly Part[], inner: Type | undefined): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return inner === undefined || narrows(inner, outer);
  switch (outer.kind) {
    case 'any':
      return true;
    case 'union':
      return outer.of.some((member) => mayHold(member, parts, inner));
    case 'array':
    case 'set':
      if (part.kind === 'field') return false;
      return outer.item === undefined || mayHold(outer.item, rest, inner);
    case 'tuple':
      if (part.kind === 'field') return false;
      return outer.items.some((item) => mayHold(item, rest, inner));
    case 'object': {
      if (outer.fields === undefined) return true;
      const named = part.kind === 'field' ? outer.fields.filter(([name]) => name === part.name) : outer.fields;
      return named.some(([, type]) => mayHold(type, rest, inner));
    }
    default:
      return inner === undefined;
  }
}

/** Whether every value of `inner` is one of `outer`, as far as the types tell plainly. */
function narrows(inner: Type, outer: Type): boolean {
  if (inner.kind === 'any' || outer.kind === 'any') return true;
  if (inner.kind === 'union') return inner.of.every((member) => narrows(member, outer));
  switch (outer.kind) {
    case 'union':
      return outer.of.some((member) => narrows(inner, member));
    case 'number':
      return ['number', 'int', 'float', 'decimal'].includes(basicKind(inner));
    case 'record':
      if (inner.kind !== 'record') return false;
      return (
        outer.tables.length === 0 || (inner.tables.length > 0 && inner.tables.every((t) => outer.tables.includes(t)))
      );
    case 'geometry':
      if (inner.kind !== 'geometry') return false;
      return (
        outer.shapes.length === 0 || (inner.shapes.length > 0 && inner.shapes.every((s) => outer.shapes.includes(s)))
      );
    case 'array':
    case 'set':
      if (inner.kind === 'tuple' && outer.kind === 'array') return outer.item === undefined;
      if (inner.kind !== outer.kind) return false;
      if (outer.length !== undefined && inner.length !== outer.length) return false;
      return outer.item === undefined || inner.item === undefined || narrows(inner.item, outer.item);
    case 'object':
      return outer.fields === undefined ? inner.kind === 'object' : typeText(inner) === typeText(outer);
    case 'literal':
    case 'tuple':
      return typeText(inner) === typeText(outer);
    default:
      return basicKind(inner) === outer.kind;
  }
}

function basicKind(type: Type): string {
  return type.kind === 'literal' ? kindOf(type.value) : type.kind;
}
