/** The tree of a SCHEMAFULL table's declared fields. */
import type { FieldDefinition } from '../catalog/definitions/definition.js';
import { failure } from '../errors/error.js';
import { escapeIdentifier, escapeName } from '../value/text/quote.js';
import type { Type } from '../value/type.js';
import { isArray, isObject, type ObjectValue, type Value } from '../value/value.js';

/** A place in a record. A free one admits anything below it. */
export interface DeclaredFields {
  readonly free: boolean;
  readonly fields: ReadonlyMap<string, DeclaredFields>;
  /** The elements of an array, or all members of an object. */
  readonly elements: DeclaredFields | undefined;
}

class ShapeBuilder implements DeclaredFields {
  free = false;
  readonly fields = new Map<string, ShapeBuilder>();
  elements: ShapeBuilder | undefined;

  child(name: string): ShapeBuilder {
    let child = this.fields.get(name);
    if (child === undefined) {
      child = new ShapeBuilder();
      this.fields.set(name, child);
    }
    return child;
  }

  element(): ShapeBuilder {
    this.elements ??= new ShapeBuilder();
    return this.elements;
  }
}

/** The fields of a SCHEMAFULL table as a tree, by which undefined ones are found. */
export function declaredFields(fields: readonly FieldDefinition[]): DeclaredFields {
  const root = new ShapeBuilder();
  // `id` always exists, and edges have both their ends whether declared or not.
  for (const name of ['id', 'in', 'out']) root.child(name).free = true;
  for (const field of fields) {
    let shape = root;
    for (const part of field.path.parts) shape = part.kind === 'field' ? shape.child(part.name) : shape.element();
    if (field.flexible || (field.type !== undefined && admitsAnything(field.type))) shape.free = true;
  }
  return root;
}

/**
 * Whether a type determines everything below it: literal object types do, and `any` forbids nothing.
 */
function admitsAnything(type: Type): boolean {
  switch (type.kind) {
    case 'any':
    case 'tuple':
      return true;
    case 'object':
      return type.fields !== undefined;
    case 'array':
    case 'set':
      return type.item === undefined || admitsAnything(type.item);
    case 'union':
      return type.of.some(admitsAnything);
    default:
      return false;
  }
}

/**
 * Checks that a record has no field that its table doesn't declare.
 * @throws TesseraError `undeclared_field`
 */
export function assertDeclared(record: ObjectValue, shape: DeclaredFields, table: string): void {
  checkBelow(record, shape, '', table);
}

function checkBelow(value: Value, shape: DeclaredFields, path: string, table: string): void {
  if (shape.free) return;
  if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const child = shape.fields.get(name) ?? shape.elements;
      if (child === undefined)
        throw failure('undeclared_field', { field: within(path, name), table, remedy: remedyAt(path, table) });
      const below = value[name];
      if (!child.free && (isObject(below) || isArray(below))) checkBelow(below, child, within(path, name), table);
    }
  } else if (isArray(value)) {
    value.forEach((element, index) => {
      if (shape.elements !== undefined) checkBelow(element, shape.elements, `${path}[${index}]`, table);
      else if (isObject(element)) checkBelow(element, EMPTY, `${path}[${index}]`, table);
    });
  }
}

/** What lets elements of an array have any fields; `undefined` outside of arrays. */
function remedyAt(path: string, table: string): string | undefined {
  const elements = path.replaceAll(/\[\d+\]/g, '.*');
  return elements === path ? undefined : `ALTER FIELD ${elements} ON ${escapeIdentifier(table)} FLEXIBLE`;
}

function within(path: string, name: string): string {
  return path === '' ? escapeIdentifier(name) : `${path}.${escapeName(name)}`;
}

const EMPTY: DeclaredFields = { free: false, fields: new Map(), elements: undefined };
