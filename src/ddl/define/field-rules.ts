/** The restrictions of DEFINE FIELD (`reference/language.md` §8.2, and the reference engine's observed behaviour). */
import { fieldName, plainFieldName } from '../../catalog/ddl/define.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { FieldDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import type { Idiom, Part } from '../../language/ast.js';
import { computedCycle, computedGraph } from '../../plan/computed-fields.js';
import { typeText } from '../../value/text/type-text.js';
import type { Type } from '../../value/type.js';
import { kindOf } from '../../value/value.js';
import { mayHold } from './field-type.js';

/**
 * Checks a field that is defined; one that is imported may break some rules.
 * @throws TesseraError one of those of fields in the catalogue's section about definitions
 */
export function checkField(field: FieldDefinition, table: TableEntry, importing: boolean): void {
  for (const rule of RULES) if (!importing || !WAIVED_FOR_IMPORTS.has(rule)) rule(field, table);
}

type Rule = (field: FieldDefinition, table: TableEntry) => void;

/**
 * As `checkField`, for an altered field: the reference engine doesn't check it against the table and the fields
 * around it.
 */
export function checkAlteredField(field: FieldDefinition, table: TableEntry): void {
  for (const rule of RULES) if (rule !== flexible && rule !== nestedType) rule(field, table);
}

const RULES: readonly Rule[] = [
  flexible,
  computed,
  acyclic,
  insideComputed,
  id,
  reference,
  credential,
  nestedType,
  relationEnd,
];

/**
 * Imported fields coexisted in their source: the fields that unions imply, and cycles that were
 * allowed once.
 */
const WAIVED_FOR_IMPORTS: ReadonlySet<Rule> = new Set([nestedType, acyclic]);

function flexible(field: FieldDefinition, table: TableEntry): void {
  if (field.flexible && !table.definition.schemafull) throw failure('flexible_schemaless');
}

/** Clauses by the keyword that introduces them. */
const KEYWORDS = {
  VALUE: 'value',
  DEFAULT: 'default',
  READONLY: 'readonly',
  ASSERT: 'assert',
  REFERENCE: 'reference',
  COMPUTED: 'computed',
  CREDENTIAL: 'credential',
} as const satisfies Record<string, keyof FieldDefinition>;

function says(field: FieldDefinition, keyword: keyof typeof KEYWORDS): boolean {
  const clause = field[KEYWORDS[keyword]];
  return clause !== undefined && clause !== false;
}

function computed(field: FieldDefinition, table: TableEntry): void {
  if (field.computed === undefined) return;
  const name = fieldName(field);
  if (field.path.parts.length > 1) throw failure('computed_nested', { field: name });
  for (const keyword of ['VALUE', 'DEFAULT', 'READONLY', 'ASSERT', 'REFERENCE', 'CREDENTIAL'] as const) {
    if (says(field, keyword)) throw failure('computed_keyword', { keyword });
  }
  for (const index of table.indexes) checkNotIndexed(field, index.name, index.fields);
  const nested = table.fields.find((other) => isBelow(other.path.parts, field.path.parts));
  if (nested !== undefined) throw failure('computed_over_nested', { field: name, nested: fieldName(nested) });
}

/** Computed fields of a table may depend on each other, but not cyclically. */
function acyclic(field: FieldDefinition, table: TableEntry): void {
  if (field.computed === undefined) return;
  const name = fieldName(field);
  const others = table.fields.filter((other) => fieldName(other) !== name);
  const cycle = computedCycle(computedGraph([...others, field]));
  if (cycle !== undefined) throw failure('computed_cycle', { fields: cycle });
}

/** Fields that are computed on read can't be indexed. @throws TesseraError `index_computed` */
export function checkNotIndexed(computed: FieldDefinition, index: string, columns: readonly Idiom[]): void {
  const [top] = computed.path.parts;
  const column = columns.find(({ parts: [first] }) => top && first && samePart(top, first));
  if (column !== undefined) throw failure('index_computed', { index, field: plainFieldName(computed) });
}

function insideComputed(field: FieldDefinition, table: TableEntry): void {
  const parent = table.fields.find(
    (other) => other.computed !== undefined && isBelow(field.path.parts, other.path.parts),
  );
  if (parent !== undefined) {
    throw failure('computed_parent', { field: fieldName(field), parent: fieldName(parent) });
  }
}

function id(field: FieldDefinition): void {
  const [part, ...rest] = field.path.parts;
  if (part?.kind !== 'field' || part.name !== 'id' || rest.length > 0) return;
  for (const keyword of ['VALUE', 'REFERENCE', 'COMPUTED', 'DEFAULT', 'CREDENTIAL'] as const) {
    if (says(field, keyword)) throw failure('id_keyword', { keyword });
  }
  if (field.type !== undefined && !isKeyType(field.type)) throw failure('id_type', { type: typeText(field.type) });
}

const KEY_KINDS: ReadonlySet<string> = new Set([
  'any',
  'int',
  'number',
  'string',
  'uuid',
  'array',
  'set',
  'tuple',
  'object',
]);

function isKeyType(type: Type): boolean {
  if (type.kind === 'union') return type.of.every(isKeyType);
  return KEY_KINDS.has(type.kind === 'literal' ? kindOf(type.value) : type.kind);
}

function reference(field: FieldDefinition): void {
  if (field.reference === undefined) return;
  if (field.path.parts.length > 1) throw failure('reference_nested', { field: fieldName(field) });
  if (field.type === undefined || !isReferenceType(field.type)) {
    throw failure('reference_type', { type: field.type === undefined ? 'any' : typeText(field.type) });
  }
}

/** A list that has become longer doesn’t show which of its elements has changed. */
function credential(field: FieldDefinition): void {
  if (!field.credential || field.path.parts.every(({ kind }) => kind === 'field')) return;
  throw failure('credential_element', { field: fieldName(field) });
}

/** Records and files, collections of them, or absence. */
function isReferenceType(type: Type): boolean {
  switch (type.kind) {
    case 'record':
    case 'file':
      return true;
    case 'array':
    case 'set':
      return type.item?.kind === 'record' || type.item?.kind === 'file';
    case 'union':
      return type.of.every((member) => member.kind === 'none' || isReferenceType(member));
    default:
      return false;
  }
}

function nestedType(field: FieldDefinition, table: TableEntry): void {
  const { type } = field;
  if (type === undefined) return;
  for (const parent of table.fields) {
    const around = parent.path.parts;
    if (parent.type === undefined || !isBelow(field.path.parts, around)) continue;
    if (mayHold(parent.type, field.path.parts.slice(around.length), type)) continue;
    throw failure('field_type_mismatch', {
      field: fieldName(field),
      type: typeText(type),
      parent: fieldName(parent),
      parentType: typeText(parent.type),
    });
  }
}

function relationEnd(field: FieldDefinition, table: TableEntry): void {
  const end = relationEndOf(field, table);
  if (end !== undefined && field.type?.kind !== 'record') throw failure('relation_end_type', { field: end });
}

/** Which end of a relation a field is, if it is one. */
export function relationEndOf(field: FieldDefinition, table: TableEntry): 'in' | 'out' | undefined {
  if (table.definition.tableKind.kind !== 'relation') return undefined;
  const [part, ...rest] = field.path.parts;
  if (part?.kind !== 'field' || rest.length > 0) return undefined;
  return part.name === 'in' || part.name === 'out' ? part.name : undefined;
}

/** Whether the path `outer` is a proper prefix of `inner`. */
function isBelow(inner: readonly Part[], outer: readonly Part[]): boolean {
  return inner.length > outer.length && outer.every((part, at) => samePart(part, inner[at] as Part));
}

function samePart(a: Part, b: Part): boolean {
  if (a.kind === 'field') return b.kind === 'field' && a.name === b.name;
  return b.kind !== 'field';
}
