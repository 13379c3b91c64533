/**
 * Parameterizes a statement: literals that are nothing but values become params bound to slots, so that its tree,
 * and all that is made of it, serves each text of the same shape.
 *
 * A literal stays where it is in anything that outlives the request or is printed, and wherever it decides something
 * before the statement runs: the name of a column, an access path (an OR of comparisons), a bound of LIMIT, a step of a
 * path, the fields that a function names.
 */
import { equals } from '../value/order.js';
import { Float, RecordId, type RecordKey, type Value } from '../value/value.js';
import type {
  Call,
  Data,
  Delete,
  Expression,
  ObjectLiteral,
  Param,
  RecordIdLiteral,
  Select,
  Statement,
  Update,
  Upsert,
} from './ast.js';
import { type Blank, blankValue, type Shape } from './shape.js';
import { each, type Mapper, optional, update } from './visitor/rebuild.js';
import { mapChildren } from './visitor.js';

/** The source of a value when a text of the shape is run. */
export interface Slot {
  /** Which blank of the shape. */
  readonly blank: number;
  /** It is the key of a record of this table. */
  readonly table?: string;
  readonly negative?: boolean;
}

/** A statement whose parameters with a `slot` are bound to literals of the text. */
export interface Parameterized {
  readonly statement: Statement;
  readonly slots: readonly Slot[];
}

/** The offsets of literals and params of a text. */
export type Offsets = ReadonlyMap<object, number>;

/** The statement, which was read from the text of which the shape is. */
export function parameterize(statement: Statement, { blanks }: Shape, offsets: Offsets): Parameterized {
  const lifter = new Lifter(blanks, offsets);
  return { statement: lifter.statement(statement), slots: lifter.slots };
}

/** The value of a slot in a text of the shape; `undefined` if there is none. Those of params are the client's. */
export function slotValue({ blank, table, negative }: Slot, blanks: readonly Blank[]): Value {
  const value = blankValue(blanks[blank] as Blank, negative);
  return table === undefined || value === undefined ? value : new RecordId(table, value as RecordKey);
}

type Rule<Node> = (node: Node, lifter: Lifter) => Node;
type StatementRules = { readonly [K in Statement['kind']]?: Rule<Extract<Statement, { kind: K }>> };
type ExpressionRules = { readonly [K in Expression['kind']]?: Rule<Extract<Expression, { kind: K }>> };

const inside = <Node extends Expression>(node: Node, lifter: Lifter): Node => mapChildren(node, lifter);

const STATEMENTS: StatementRules = {
  expression: (node, lifter) => update(node, { expression: lifter.expression(node.expression) }),
  return: (node, lifter) => update(node, { value: lifter.expression(node.value) }),
  let: (node, lifter) => update(node, { value: lifter.expression(node.value) }),
  select: (node, lifter) =>
    node.explain !== undefined
      ? node
      : update(node, {
          projections: projections(node.projections, lifter),
          from: targets(node.from, lifter),
          where: optional(node.where, lifter.expression),
          limit: optional(node.limit, (limit) => lifter.keepingLiterals(() => lifter.expression(limit))),
          start: optional(node.start, (start) => lifter.keepingLiterals(() => lifter.expression(start))),
          fetch: each(node.fetch, (path) => named(path, lifter)),
        }),
  create: (node, lifter) => update(node, { targets: targets(node.targets, lifter), data: data(node.data, lifter) }),
  update: change,
  upsert: change,
  delete: change,
  insert: (node, lifter) =>
    update(node, {
      into: optional(node.into, (into) => (into.kind === 'param' ? lifter.expression(into) : into)),
      data:
        node.data.kind === 'value'
          ? update(node.data, { value: lifter.expression(node.data.value) })
          : update(node.data, { rows: each(node.data.rows, (row) => each(row, lifter.expression)) }),
    }),
  relate: (node, lifter) =>
    update(node, {
      from: lifter.expression(node.from),
      edge: lifter.expression(node.edge),
      to: lifter.expression(node.to),
      data: data(node.data, lifter),
    }),
};

const EXPRESSIONS: ExpressionRules = {
  array: inside,
  set: inside,
  object: (node, lifter) => (mayBeGeometry(node) ? node : inside(node, lifter)),
  // That two alternatives have the same bound may decide the access path.
  binary: (node, lifter) =>
    node.operator === '||' ? lifter.keepingLiterals(() => inside(node, lifter)) : inside(node, lifter),
  unary: inside,
  cast: inside,
  call: (node, lifter) => (NAMING.test(node.path) ? node : inside(node, lifter)),
  if: inside,
  subquery: inside,
  idiom: (node, lifter) => update(node, { start: optional(node.start, lifter.expression) }),
};

/** Functions whose arguments name fields, or parts of the statement around them. */
const NAMING = /^(?:type::fields?|search::|vector::distance::knn)/;

/** UPDATE, UPSERT and DELETE. */
function change(node: Update, lifter: Lifter): Update;
function change(node: Upsert, lifter: Lifter): Upsert;
function change(node: Delete, lifter: Lifter): Delete;
function change(node: Update | Upsert | Delete, lifter: Lifter): Update | Upsert | Delete {
  if (node.explain !== undefined) return node;
  const changed = update(node, {
    targets: targets(node.targets, lifter),
    where: optional(node.where, lifter.expression),
  });
  return changed.kind === 'delete' ? changed : update(changed, { data: data(changed.data, lifter) });
}

class Lifter implements Mapper {
  readonly slots: Slot[] = [];
  readonly #blanks: readonly Blank[];
  readonly #at: ReadonlyMap<number, number>;
  readonly #offsets: Offsets;
  /** The slots of params by name: one that is named twice has one. */
  readonly #params = new Map<string, Param>();
  #keepsLiterals = false;

  constructor(blanks: readonly Blank[], offsets: Offsets) {
    this.#blanks = blanks;
    this.#at = new Map(blanks.map(({ start }, index) => [start, index]));
    this.#offsets = offsets;
  }

  readonly expression = (node: Expression): Expression => {
    if (node.kind === 'literal') return this.#literal(node, node.value);
    if (node.kind === 'param') return this.#param(node);
    if (node.kind === 'record-id') return this.#recordId(node);
    const rule = EXPRESSIONS[node.kind] as Rule<Expression> | undefined;
    return rule === undefined ? node : rule(node, this);
  };

  readonly statement = (node: Statement): Statement => {
    const rule = STATEMENTS[node.kind] as Rule<Statement> | undefined;
    return rule === undefined ? node : rule(node, this);
  };

  /** Lifts params alone. */
  keepingLiterals<T>(work: () => T): T {
    const outer = this.#keepsLiterals;
    this.#keepsLiterals = true;
    const result = work();
    this.#keepsLiterals = outer;
    return result;
  }

  #literal(node: Expression, value: Value, table?: string): Expression {
    const blank = this.#blankOf(node);
    if (blank === undefined || this.#keepsLiterals) return node;
    for (const negative of [false, true]) {
      if (isSame(blankValue(this.#blanks[blank] as Blank, negative), value)) {
        return this.#slot({ blank, ...(table !== undefined && { table }), ...(negative && { negative }) });
      }
    }
    return node;
  }

  #recordId(node: RecordIdLiteral): Expression {
    const { table, key } = node;
    if (key.kind !== 'key' || key.value.kind !== 'literal') return node;
    const lifted = this.#literal(key.value, key.value.value, table);
    return lifted === key.value ? node : lifted;
  }

  #param(node: Param): Expression {
    const blank = this.#blankOf(node);
    if (blank === undefined || this.#blanks[blank]?.kind !== 'param') return node;
    const known = this.#params.get(node.name) ?? this.#slot({ blank });
    this.#params.set(node.name, known);
    return known;
  }

  #blankOf(node: Expression): number | undefined {
    const offset = this.#offsets.get(node);
    return offset === undefined ? undefined : this.#at.get(offset);
  }

  #slot(slot: Slot): Param {
    const index = this.slots.push(slot);
    return { kind: 'param', name: String(index), slot: index - 1 };
  }
}

function isSame(one: Value, other: Value): boolean {
  // Zeros differ by their sign.
  if (one instanceof Float && other instanceof Float) return Object.is(one.number, other.number);
  if (typeof one !== 'object' || typeof other !== 'object') return Object.is(one, other);
  return one?.constructor === other?.constructor && equals(one, other);
}

/** Written out, an object that describes a geometry is one. */
function mayBeGeometry({ entries }: ObjectLiteral): boolean {
  return entries.some(([key]) => key === 'type');
}

/** Of the columns, only what names fields by a param: all others are called by their text. */
function projections(node: Select['projections'], lifter: Lifter): Select['projections'] {
  if (node.kind === 'value') return update(node, { expression: named(node.expression, lifter) });
  return update(node, {
    items: each(node.items, (item) =>
      item.kind === 'all' ? item : update(item, { expression: named(item.expression, lifter) }),
    ),
  });
}

function named(node: Expression, lifter: Lifter): Expression {
  if (node.kind !== 'call' || !/^type::fields?$/.test(node.path)) return node;
  return update<Call>(node, { args: each(node.args, (arg) => (arg.kind === 'param' ? lifter.expression(arg) : arg)) });
}

/** One of several targets determines its own plan; a parameter may replace only a single target. */
function targets(nodes: readonly Expression[], lifter: Lifter): readonly Expression[] {
  return nodes.length === 1 ? each(nodes, lifter.expression) : nodes;
}

function data(node: Data | undefined, lifter: Lifter): Data | undefined {
  if (node === undefined || node.kind === 'unset') return node;
  if (node.kind !== 'set') return update(node, { value: lifter.expression(node.value) });
  return update(node, {
    assignments: each(node.assignments, (each) => update(each, { value: lifter.expression(each.value) })),
  });
}
