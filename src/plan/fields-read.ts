/**
 * Which fields of its document an expression reads, derived from its syntax. The answer may name too much, never too
 * little: names inside of subqueries, closures and conditions in paths count, too, though most of those are fields of
 * something else.
 */
import { Derived } from '../base/derived.js';
import type {
  Assignment,
  Call,
  Data,
  Expression,
  Idiom,
  Live,
  Output,
  Projections,
  Select,
  Statement,
} from '../language/ast.js';
import { constantValue } from '../language/constant-value.js';
import { DOCUMENT_PARAMS } from '../language/engine-params.js';
import { walk } from '../language/visitor.js';
import { isArray, type Value } from '../value/value.js';
import { CONTROL_STATEMENTS } from './effects.js';

/** Fields of a document, by the names at the beginning of paths. */
export interface FieldsRead {
  readonly names: ReadonlySet<string>;
  /** Whether any other may be read as well. */
  readonly all: boolean;
  /**
   * The functions of the database, without `fn::`, whose bodies see the document too. What they read the catalog knows
   * (`withFunctions`).
   */
  readonly functions: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();
export const ALL_FIELDS: FieldsRead = { names: NOTHING, all: true, functions: NOTHING };
export const NO_FIELDS: FieldsRead = { names: NOTHING, all: false, functions: NOTHING };
/** The fields that a graph step reads of the record where it begins. */
export const EDGE_FIELDS: FieldsRead = { ...NO_FIELDS, names: new Set(['id', 'in', 'out']) };

/** One field by its name. */
export function readOfField(name: string): FieldsRead {
  return fieldsNamed(new Set([name]));
}

/** Some fields by their names. */
export function fieldsNamed(names: ReadonlySet<string>): FieldsRead {
  return { ...NO_FIELDS, names };
}

type Node = Expression | Statement;

/**
 * The fields that nodes read of their document. They are determined on demand: most tables
 * compute nothing.
 */
export function fieldsRead(nodes: readonly (Node | undefined)[]): FieldsRead {
  return fieldsReadOf(() => nodes);
}

/** The same of nodes that are gathered then, too. */
function fieldsReadOf(gather: () => readonly (Node | undefined)[]): FieldsRead {
  return new Later(() => {
    const reading = new Reading(anyStatement);
    for (const node of gather()) if (node !== undefined) reading.into(node);
    return reading.result();
  });
}

/** The fields that a list of projections reads; `*` is the whole document. */
export function fieldsProjected(projections: Projections): FieldsRead {
  if (projections.kind === 'fields' && projections.items.some(({ kind }) => kind === 'all')) return ALL_FIELDS;
  return fieldsReadOf(() => projectedExpressions(projections));
}

/**
 * The fields that the data of a statement reads of an existing record. Changed places count: they are compared
 * with the visible ones.
 */
export function fieldsOfData(data: Data | undefined): FieldsRead {
  if (data === undefined) return NO_FIELDS;
  switch (data.kind) {
    case 'patch':
      return ALL_FIELDS;
    case 'set':
      return fieldsAssigned(data.assignments);
    case 'unset':
      return fieldsRead(data.paths);
    case 'content':
    case 'merge':
    case 'replace':
      return fieldsRead([data.value]);
  }
}

/** The fields that RETURN reads of a record before and after a statement that writes it. */
export interface OutputReads {
  readonly before: FieldsRead;
  readonly after: FieldsRead;
}

const OUTPUTS: Readonly<Record<Exclude<Output['kind'], 'project'>, OutputReads>> = {
  none: { before: NO_FIELDS, after: NO_FIELDS },
  null: { before: NO_FIELDS, after: NO_FIELDS },
  before: { before: ALL_FIELDS, after: NO_FIELDS },
  after: { before: NO_FIELDS, after: ALL_FIELDS },
  diff: { before: ALL_FIELDS, after: ALL_FIELDS },
};

/**
 * Projections are about the record as it is after the statement; `$before` and `$after` are whole records, which
 * functions find too.
 */
export function fieldsReturned(output: Output): OutputReads {
  if (output.kind !== 'project') return OUTPUTS[output.kind];
  const { projections } = output;
  const shown = fieldsProjected(projections);
  const side = (name: string, otherwise: FieldsRead): FieldsRead =>
    new Later(() => {
      const whole = shown.all || shown.functions.size > 0 || hasParam(projectedExpressions(projections), [name]);
      return whole ? ALL_FIELDS : otherwise;
    });
  return { before: side('before', NO_FIELDS), after: side('after', shown) };
}

/**
 * The fields that a live query reads of the record before and after a change, both of which it, or a function, may name
 * as a whole.
 */
export function fieldsWatched({ projections, where }: Live): FieldsRead {
  if (projections.kind === 'diff') return ALL_FIELDS;
  const expressions = [...projectedExpressions(projections), ...(where === undefined ? [] : [where])];
  if (hasParam(expressions, ['before', 'after', 'value'])) return ALL_FIELDS;
  const reads = unionOfReads([fieldsProjected(projections), fieldsRead([where])]);
  return reads.functions.size > 0 ? ALL_FIELDS : reads;
}

/**
 * The fields that the clauses of an event read of the record before or after the change. Functions see both.
 */
export function fieldsOfEvent(clauses: readonly Expression[]): FieldsRead {
  return new Later(() => {
    const reading = new Reading(anyStatement, CHANGED_RECORDS);
    for (const clause of clauses) reading.into(clause);
    const reads = reading.result();
    return reads.functions.size > 0 ? ALL_FIELDS : reads;
  });
}

function hasParam(expressions: readonly Expression[], names: readonly string[]): boolean {
  let has = false;
  for (const expression of expressions) {
    walk(expression, {
      expression: (node) => {
        has ||= node.kind === 'param' && names.includes(node.name);
      },
    });
  }
  return has;
}

/** The projections without `*`. */
export function projectedExpressions(projections: Projections): Expression[] {
  if (projections.kind === 'value') return [projections.expression];
  return projections.items.flatMap((item) => (item.kind === 'all' ? [] : [item.expression]));
}

/** The same of assignments. */
export function fieldsAssigned(assignments: readonly Assignment[]): FieldsRead {
  return fieldsReadOf(() => assignments.flatMap(({ path, value }) => [path, value]));
}

/**
 * The fields that a SELECT reads of its rows. FETCH follows links in projected values, and START and LIMIT are
 * evaluated before there are rows.
 */
export function fieldsSelected({ projections, where, split, group, order }: Select): FieldsRead {
  const others = fieldsReadOf(() => [
    where,
    ...(split ?? []),
    ...(group?.kind === 'by' ? group.paths : []),
    ...(order?.kind === 'by' ? order.keys.map(({ path }) => path) : []),
  ]);
  return unionOfReads([fieldsProjected(projections), others]);
}

/** The union of several reads. */
export function unionOfReads(parts: readonly FieldsRead[]): FieldsRead {
  return new Later(() => {
    const names = new Set<string>();
    const functions = new Set<string>();
    for (const part of parts) {
      for (const name of part.names) names.add(name);
      for (const name of part.functions) functions.add(name);
    }
    return { names, all: parts.some(({ all }) => all), functions };
  });
}

/** Reads that are determined on first use. */
class Later implements FieldsRead {
  #find: (() => FieldsRead) | undefined;
  #found: FieldsRead = NO_FIELDS;

  constructor(find: () => FieldsRead) {
    this.#find = find;
  }

  get names(): ReadonlySet<string> {
    return this.#settled().names;
  }

  get all(): boolean {
    return this.#settled().all;
  }

  get functions(): ReadonlySet<string> {
    return this.#settled().functions;
  }

  #settled(): FieldsRead {
    if (this.#find !== undefined) {
      this.#found = this.#find();
      this.#find = undefined;
    }
    return this.#found;
  }
}

/** The parts of other statements concern rows of their own. */
const CONTROL: ReadonlySet<Statement['kind']> = new Set(CONTROL_STATEMENTS);

/**
 * The fields that a COMPUTED clause reads. Names inside of statements about rows aren't fields of its record. Whatever
 * holds such a statement, a closure, a graph step, a function of the database, or a param other than the record counts
 * as reading all, as in the reference engine.
 */
export function fieldsOfClause(clause: Expression): FieldsRead {
  let reads = CLAUSES.get(clause);
  if (reads === undefined) {
    const reading = new Reading(isControl);
    reading.into(clause);
    const { names, all, functions } = reading.result();
    reads = { names, all: all || functions.size > 0 || isOpaque(clause), functions: NOTHING };
    CLAUSES.set(clause, reads);
  }
  return reads;
}

/** Each definition of a field is followed by looks at those around it. */
const CLAUSES = new Derived<Expression, FieldsRead>();

function isOpaque(clause: Expression): boolean {
  let opaque = false;
  walk(clause, {
    statement: (statement) => {
      opaque ||= !isControl(statement);
    },
    expression: (node) => {
      opaque ||=
        node.kind === 'closure' ||
        (node.kind === 'param' && !DOCUMENT_PARAMS.has(node.name)) ||
        (node.kind === 'idiom' && node.parts.some(({ kind }) => kind === 'graph'));
    },
  });
  return opaque;
}

function anyStatement(): boolean {
  return true;
}

function isControl({ kind }: Statement): boolean {
  return CONTROL.has(kind);
}

/** In events the record before and after a change, too. */
const CHANGED_RECORDS: ReadonlySet<string> = new Set([...DOCUMENT_PARAMS, 'before', 'after', 'value']);

/** Collects reads while trees are walked. */
class Reading {
  readonly #names = new Set<string>();
  readonly #functions = new Set<string>();
  readonly #enters: (statement: Statement) => boolean;
  /** The params that are the document. */
  readonly #documents: ReadonlySet<string>;
  #all = false;

  constructor(enters: (statement: Statement) => boolean, documents: ReadonlySet<string> = DOCUMENT_PARAMS) {
    this.#enters = enters;
    this.#documents = documents;
  }

  result(): FieldsRead {
    return { names: this.#names, all: this.#all, functions: this.#functions };
  }

  into(root: Node): void {
    walk(root, { expression: (node) => this.#expression(node), statement: (statement) => this.#enters(statement) });
  }

  /** Returns false if the parts have been visited already. */
  #expression(node: Expression): boolean {
    switch (node.kind) {
      case 'idiom':
        return this.#idiom(node);
      case 'param':
        // Alone it is the document as a whole. (`$parent` is that of this level where it stands in a level inside.)
        if (this.#documents.has(node.name)) this.#all = true;
        return true;
      case 'script':
        // The document is its `this`.
        this.#all = true;
        return true;
      case 'call':
        this.#call(node);
        return true;
      default:
        return true;
    }
  }

  #idiom({ start, parts }: Idiom): boolean {
    if (start?.kind === 'param' && this.#documents.has(start.name)) {
      this.into({ kind: 'idiom', parts });
      return false;
    }
    if (start !== undefined) return true;
    const [first] = parts;
    if (first?.kind === 'field') this.#names.add(first.name);
    else if (first?.kind === 'graph') for (const name of EDGE_FIELDS.names) this.#names.add(name);
    else if (first?.kind === 'index') this.#addNamed(constantValue(first.index)?.value);
    else this.#all = true;
    return true;
  }

  #call({ path, args }: Call): void {
    if (path.startsWith('fn::')) {
      this.#functions.add(path.slice('fn::'.length));
    } else if (path === 'type::field') {
      const [name] = args;
      this.#addPath(name && constantValue(name)?.value);
    } else if (path === 'type::fields') {
      const [names] = args;
      const paths = names && constantValue(names)?.value;
      if (isArray(paths)) for (const each of paths) this.#addPath(each);
      else this.#all = true;
    }
  }

  #addNamed(name: Value): void {
    if (typeof name === 'string') this.#names.add(name);
    else this.#all = true;
  }

  /** A path that is given as text. */
  #addPath(text: Value): void {
    const [name] = typeof text === 'string' ? (/^[A-Za-z_]\w*(?=$|[.[])/.exec(text) ?? []) : [];
    this.#addNamed(name);
  }
}
