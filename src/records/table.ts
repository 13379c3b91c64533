/** A table made ready for running: its clauses compiled, its fields in the order in which they are processed. */
import { Derived } from '../base/derived.js';
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../catalog/definitions/database-catalog.js';
import type { FieldDefinition } from '../catalog/definitions/definition.js';
import { ASYNC_EVENT, type FieldAction, type Part, type Permission, type TableAction } from '../language/ast.js';
import { printExpression, printIdiom } from '../language/print.js';
import { type ComputedGraph, computedGraph, computedOrder, neededFields } from '../plan/computed-fields.js';
import { mayWrite } from '../plan/effects.js';
import { type FieldsRead, fieldsOfEvent, NO_FIELDS, unionOfReads } from '../plan/fields-read.js';
import { type Functions, withFunctions } from '../plan/function-reads.js';
import { compileRule, type Rule } from '../runtime/authorization/permission.js';
import type { Execution } from '../runtime/execution.js';
import type { Compiler, Evaluate } from '../runtime/frame.js';
import type { WrittenRecord } from '../runtime/record-access.js';
import type { Type } from '../value/type.js';
import { type DeclaredFields, declaredFields } from './declared-fields.js';
import { buildMask, type GuardedPath, type Mask } from './mask.js';
import { referringFields } from './references.js';

export interface PreparedTable {
  readonly entry: TableEntry;
  readonly rules: Readonly<Record<TableAction, Rule>>;
  readonly fields: readonly PreparedField[];
  /** Fields computed when a record is read. */
  readonly computed: ComputedFields<PreparedField>;
  /** The mask of hidden fields; `undefined` if visible records are visible completely. */
  readonly mask: Mask | undefined;
  /** The fields that the select clauses of fields read. */
  readonly maskReads: FieldsRead;
  readonly events: readonly PreparedEvent[];
  /** Brings the views that read the table up to date with a change of a record; absent where there are none. */
  readonly maintainViews: MaintainViews | undefined;
  /** The names of the REFERENCE fields. */
  readonly references: readonly string[];
  /** The paths of the CREDENTIAL fields, by names. */
  readonly credentials: readonly (readonly string[])[];
  /** The declared fields of a schemafull table. */
  readonly shape: DeclaredFields;
}

export interface PreparedField {
  readonly definition: FieldDefinition;
  /** The path as text, for errors. */
  readonly name: string;
  readonly parts: readonly Part[];
  readonly rules: Readonly<Record<FieldAction, Rule>>;
  readonly default: Evaluate | undefined;
  readonly value: Evaluate | undefined;
  readonly assert: Evaluate | undefined;
  /** Whether one of these may write, or call what does. */
  readonly mayWrite: boolean;
  /** The assertion as text, for its error. */
  readonly assertText: string;
  readonly computed: Evaluate | undefined;
  /** The action of ON DELETE THEN. */
  readonly onDelete: Evaluate | undefined;
  /** Whether the type admits NONE. */
  readonly optional: boolean;
  /** How many parts of the path lead to a declared parent whose type admits NONE. */
  readonly optionalParents: readonly number[];
}

export interface PreparedEvent {
  readonly name: string;
  /** An asynchronous event is queued; how often it is tried again, and how deep such events may raise each other. */
  readonly queue: { readonly retry: number; readonly maxDepth: number } | undefined;
  readonly when: Evaluate | undefined;
  /** What WHEN reads of the record, and what all of the event does. */
  readonly whenReads: FieldsRead;
  readonly reads: FieldsRead;
  readonly actions: readonly Evaluate[];
}

/**
 * How a field without a PERMISSIONS clause behaves (`--field-permissions`): as its table does, or hidden and
 * untouchable, declared or not. A field below another follows the one above it either way; `id` and the ends of an edge
 * always follow the table.
 */
export type FieldPermissionDefault = 'inherit' | 'none';

/** Compiles the views that read a table (`query/view`); `undefined` where there are none. */
export type PrepareViews = (entry: TableEntry, compiler: Compiler) => MaintainViews | undefined;

/** In the transaction of the change, with permissions off. */
export type MaintainViews = (
  execution: Execution,
  catalog: DatabaseCatalog,
  source: TableEntry,
  written: WrittenRecord,
) => PromiseOrValue<void>;

/** Prepares tables, once for each state of their definition. */
export class TablePreparer {
  readonly #prepared = new Derived<TableEntry, PreparedTable>();
  /** Fields that a table has kept from one state to the next, or that have the same text in many databases. */
  readonly #fields = new Derived<FieldDefinition, PreparedField>();
  readonly #compiler: Compiler;
  readonly #fieldPermissions: FieldPermissionDefault;
  readonly #prepareViews: PrepareViews;

  constructor(compiler: Compiler, fieldPermissions: FieldPermissionDefault, prepareViews: PrepareViews) {
    this.#compiler = compiler;
    this.#fieldPermissions = fieldPermissions;
    this.#prepareViews = prepareViews;
  }

  prepare(entry: TableEntry): PreparedTable {
    let table = this.#prepared.get(entry);
    if (table === undefined) {
      table = this.#build(entry);
      this.#prepared.set(entry, table);
    }
    return table;
  }

  rule(permission: Permission): Rule {
    return compileRule(permission, this.#compiler);
  }

  #build(entry: TableEntry): PreparedTable {
    const compiler = this.#compiler;
    const { permissions } = entry.definition;
    const optional = new Set(
      entry.fields.filter((field) => isOptional(field.type)).map((field) => printIdiom(field.path)),
    );
    const fields = entry.fields.map((field) => this.#field(field, optional));
    return {
      entry,
      rules: {
        select: compileRule(permissions.select, compiler),
        create: compileRule(permissions.create, compiler),
        update: compileRule(permissions.update, compiler),
        delete: compileRule(permissions.delete, compiler),
      },
      fields,
      computed: new ComputedFields(fields),
      mask: buildMask(
        fields.flatMap(({ parts, rules }) => (rules.select.kind === 'full' ? [] : [guardedPath(parts, rules)])),
        this.#fieldPermissions === 'none' ? openFields(fields) : undefined,
      ),
      maskReads: unionOfReads(fields.map(({ rules }) => readsOf(rules.select))),
      events: entry.events.map((event) => ({
        name: event.name,
        queue: event.async && { ...ASYNC_EVENT, ...event.async },
        when: event.when && compiler.expression(event.when),
        whenReads: fieldsOfEvent(event.when === undefined ? [] : [event.when]),
        reads: fieldsOfEvent(event.when === undefined ? event.then : [event.when, ...event.then]),
        actions: event.then.map((each) => compiler.expression(each)),
      })),
      maintainViews: this.#prepareViews(entry, compiler),
      references: referringFields(entry),
      credentials: entry.fields.filter(({ credential }) => credential).map(({ path }) => namesOf(path.parts)),
      shape: declaredFields(entry.fields),
    };
  }

  #field(definition: FieldDefinition, optional: ReadonlySet<string>): PreparedField {
    // What stands below another field depends on that.
    if (definition.path.parts.length > 1) return this.#newField(definition, optional);
    let field = this.#fields.get(definition);
    if (field === undefined) {
      field = this.#newField(definition, optional);
      this.#fields.set(definition, field);
    }
    return field;
  }

  #newField(definition: FieldDefinition, optional: ReadonlySet<string>): PreparedField {
    const { parts } = definition.path;
    const compile = (expression: FieldDefinition['value']) => expression && this.#compiler.expression(expression);
    const rule = (action: FieldAction): Rule =>
      definition.permissions === undefined ? FULL : compileRule(definition.permissions[action], this.#compiler);
    return {
      definition,
      name: printIdiom(definition.path),
      parts,
      rules: { select: rule('select'), create: rule('create'), update: rule('update') },
      default: compile(definition.default?.value),
      value: compile(definition.value),
      assert: compile(definition.assert),
      mayWrite: [definition.default?.value, definition.value, definition.assert].some(
        (clause) => clause !== undefined && mayWrite({ kind: 'expression', expression: clause }),
      ),
      assertText: definition.assert === undefined ? '' : printExpression(definition.assert),
      computed: compile(definition.computed),
      onDelete: compile(definition.reference?.onDelete === 'then' ? definition.reference.then : undefined),
      optional: isOptional(definition.type),
      optionalParents: parts
        .map((_, depth) => depth)
        .filter((depth) => depth > 0 && optional.has(printIdiom({ kind: 'idiom', parts: parts.slice(0, depth) }))),
    };
  }
}

const FULL: Rule = { kind: 'full' };

function readsOf(rule: Rule): FieldsRead {
  return rule.kind === 'where' ? rule.reads : NO_FIELDS;
}

function guardedPath(parts: readonly Part[], { select, update }: PreparedField['rules']): GuardedPath {
  return { parts, rule: select, isFixed: update.kind !== 'full' };
}

/** The names of fields that have a clause of their own, and of those that need none. */
function openFields(fields: readonly PreparedField[]): ReadonlySet<string> {
  const names = new Set(['id', 'in', 'out']);
  for (const { definition, parts } of fields) {
    const [first] = parts;
    if (parts.length === 1 && first?.kind === 'field' && definition.permissions !== undefined) names.add(first.name);
  }
  return names;
}

function namesOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.kind === 'field' ? [part.name] : []));
}

function isOptional(type: Type | undefined): boolean {
  if (type === undefined) return false;
  return type.kind === 'none' || type.kind === 'any' || (type.kind === 'union' && type.of.some(isOptional));
}

/** The computed fields of a table, and for each plan those that it needs, which is decided once. */
class ComputedFields<Field extends { readonly definition: FieldDefinition }> {
  /** In the order in which they are computed. */
  readonly all: readonly Field[];
  readonly #graph: ComputedGraph;
  #needed: WeakMap<FieldsRead, readonly Field[]> | undefined;

  constructor(fields: readonly Field[]) {
    const computed = fields.filter(({ definition }) => definition.computed !== undefined);
    if (computed.length === 0) {
      this.#graph = NO_GRAPH;
      this.all = computed;
      return;
    }
    this.#graph = computedGraph(computed.map(({ definition }) => definition));
    const places = new Map(computedOrder(this.#graph).map((name, place) => [name, place]));
    const place = (field: Field): number => places.get(nameOf(field)) ?? 0;
    this.all = computed.toSorted((a, b) => place(a) - place(b));
  }

  /**
   * The fields needed if `asked` is read of a record, in the order in which they are computed. If functions
   * are called whose reads aren't known, all are needed.
   */
  needed(asked: FieldsRead, functions?: Functions): readonly Field[] {
    if (this.all.length === 0 || asked.all) return this.all;
    if (asked.functions.size === 0) return this.#neededFor(asked);
    return functions === undefined ? this.all : this.needed(withFunctions(asked, functions));
  }

  #neededFor(asked: FieldsRead): readonly Field[] {
    this.#needed ??= new WeakMap();
    let needed = this.#needed.get(asked);
    if (needed === undefined) {
      const names = neededFields(this.#graph, asked);
      needed = this.all.filter((field) => names.has(nameOf(field)));
      this.#needed.set(asked, needed);
    }
    return needed;
  }
}

/** Of a table without computed fields. */
const NO_GRAPH: ComputedGraph = computedGraph([]);

/** Computed fields stand at the top of their records. */
function nameOf({ definition: { path } }: { readonly definition: FieldDefinition }): string {
  const [first] = path.parts;
  return first?.kind === 'field' ? first.name : '';
}
