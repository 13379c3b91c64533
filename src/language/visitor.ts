/**
 * Walking over and rewriting syntax trees. One table names the children of each kind of node; a kind that is forgotten doesn't compile.
 *
 * Trees are as high as the parser's limits let them be (`Limits.height`), which recursion here stands.
 */
import type {
  AccessKind,
  Alterable,
  Assignment,
  Block,
  Data,
  DefineStatement,
  DestructureField,
  Expression,
  Group,
  Idiom,
  Insert,
  KeyBound,
  Order,
  Output,
  Part,
  Permission,
  Projections,
  RecordKeyExpression,
  Statement,
} from './ast.js';

/** What to do with the expressions and statements right inside a node. */
export interface Mapper {
  expression(node: Expression): Expression;
  statement(node: Statement): Statement;
}

type Rows<Node extends { readonly kind: string }> = {
  readonly [K in Node['kind']]: (node: Extract<Node, { kind: K }>, mapper: Mapper) => Extract<Node, { kind: K }>;
};

// ─── Rebuilding only what has changed ───

/** The node with these fields; itself if none of them is another. Fields that are `undefined` weren't there and stay so. */
function update<Node extends object>(node: Node, fields: { readonly [K in keyof Node]?: Node[K] | undefined }): Node {
  let result = node;
  for (const key in fields) {
    const value = fields[key];
    if (value === undefined || value === node[key]) continue;
    if (result === node) result = { ...node };
    result[key] = value as Node[typeof key];
  }
  return result;
}

/** The list with each item mapped; itself if none has changed. */
function each<T>(items: readonly T[], map: (item: T) => T): readonly T[];
function each<T>(items: readonly T[] | undefined, map: (item: T) => T): readonly T[] | undefined;
function each<T>(items: readonly T[] | undefined, map: (item: T) => T): readonly T[] | undefined {
  if (items === undefined) return undefined;
  let result: T[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as T;
    const mapped = map(item);
    if (mapped === item) continue;
    result ??= [...items];
    result[index] = mapped;
  }
  return result ?? items;
}

function optional<T, U>(node: T | undefined, map: (node: T) => U): U | undefined {
  return node === undefined ? undefined : map(node);
}

function same<Node>(node: Node): Node {
  return node;
}

// ─── Expressions ───

const EXPRESSIONS: Rows<Expression> = {
  literal: same,
  constant: same,
  param: same,
  table: same,
  mock: same,
  array: (node, mapper) => update(node, { items: each(node.items, mapper.expression) }),
  set: (node, mapper) => update(node, { items: each(node.items, mapper.expression) }),
  object: (node, mapper) =>
    update(node, {
      entries: each(node.entries, (entry) => {
        const value = mapper.expression(entry[1]);
        return value === entry[1] ? entry : [entry[0], value];
      }),
    }),
  'record-id': (node, mapper) => update(node, { key: recordKey(node.key, mapper) }),
  range: (node, mapper) =>
    update(node, {
      start: optional(node.start, (bound) => update(bound, { value: mapper.expression(bound.value) })),
      end: optional(node.end, (bound) => update(bound, { value: mapper.expression(bound.value) })),
    }),
  idiom: (node, mapper) =>
    update(node, {
      start: optional(node.start, mapper.expression),
      parts: each(node.parts, (part) => mapPart(part, mapper)),
    }),
  unary: (node, mapper) => update(node, { operand: mapper.expression(node.operand) }),
  binary: (node, mapper) => update(node, { left: mapper.expression(node.left), right: mapper.expression(node.right) }),
  cast: (node, mapper) => update(node, { operand: mapper.expression(node.operand) }),
  call: (node, mapper) => update(node, { args: each(node.args, mapper.expression) }),
  script: (node, mapper) => update(node, { args: each(node.args, mapper.expression) }),
  closure: (node, mapper) => update(node, { body: mapper.expression(node.body) }),
  block: (node, mapper) => update(node, { statements: each(node.statements, mapper.statement) }),
  if: (node, mapper) =>
    update(node, {
      branches: each(node.branches, (branch) =>
        update(branch, { condition: mapper.expression(branch.condition), then: mapper.expression(branch.then) }),
      ),
      otherwise: optional(node.otherwise, mapper.expression),
    }),
  subquery: (node, mapper) => update(node, { statement: mapper.statement(node.statement) }),
};

function recordKey(key: RecordKeyExpression, mapper: Mapper): RecordKeyExpression {
  switch (key.kind) {
    case 'key':
      return update(key, { value: keyValue(key.value, mapper) });
    case 'generate':
      return key;
    case 'key-range':
      return update(key, {
        start: optional(key.start, (bound) => update(bound, { value: keyValue(bound.value, mapper) })),
        end: optional(key.end, (bound) => update(bound, { value: keyValue(bound.value, mapper) })),
      });
  }
}

/** A key stays what it is; what stands inside it is mapped. */
function keyValue(value: KeyBound['value'], mapper: Mapper): KeyBound['value'] {
  return mapChildren(value, mapper) as KeyBound['value'];
}

const PARTS: Rows<Part> = {
  field: same,
  last: same,
  all: same,
  optional: same,
  repeat: same,
  index: (part, mapper) => update(part, { index: mapper.expression(part.index) }),
  where: (part, mapper) => update(part, { condition: mapper.expression(part.condition) }),
  destructure: (part, mapper) =>
    update(part, { fields: each(part.fields, (field) => destructureField(field, mapper)) }),
  method: (part, mapper) => update(part, { args: each(part.args, mapper.expression) }),
  invoke: (part, mapper) => update(part, { args: each(part.args, mapper.expression) }),
  graph: (part, mapper) =>
    update(part, {
      subjects: each(part.subjects, (subject) =>
        update(subject, { range: optional(subject.range, (range) => recordKey(range, mapper)) }),
      ),
      projections: optional(part.projections, (node) => projections(node, mapper)),
      where: optional(part.where, mapper.expression),
      split: idioms(part.split, mapper),
      group: optional(part.group, (node) => group(node, mapper)),
      order: optional(part.order, (node) => order(node, mapper)),
      limit: optional(part.limit, mapper.expression),
      start: optional(part.start, mapper.expression),
      alias: optional(part.alias, (node) => idiom(node, mapper)),
    }),
  recursion: (part, mapper) =>
    update(part, {
      instruction: optional(part.instruction, (instruction) =>
        instruction.kind === 'shortest'
          ? update(instruction, { target: mapper.expression(instruction.target) })
          : instruction,
      ),
      path: each(part.path, (step) => mapPart(step, mapper)),
    }),
};

function mapPart(part: Part, mapper: Mapper): Part {
  return (PARTS[part.kind] as (part: Part, mapper: Mapper) => Part)(part, mapper);
}

function destructureField(field: DestructureField, mapper: Mapper): DestructureField {
  if (field.kind === 'alias') return update(field, { value: mapper.expression(field.value) });
  if (field.kind !== 'nested') return field;
  return update(field, { fields: each(field.fields, (inner) => destructureField(inner, mapper)) });
}

// ─── Clauses ───

/** A path that a clause names stays a path; the expressions in its brackets are mapped. */
function idiom(node: Idiom, mapper: Mapper): Idiom {
  return EXPRESSIONS.idiom(node, mapper);
}

function idioms(nodes: readonly Idiom[] | undefined, mapper: Mapper): readonly Idiom[] | undefined {
  return each(nodes, (node) => idiom(node, mapper));
}

function projections(node: Projections, mapper: Mapper): Projections {
  if (node.kind === 'value') {
    return update(node, {
      expression: mapper.expression(node.expression),
      alias: optional(node.alias, (alias) => idiom(alias, mapper)),
    });
  }
  return update(node, {
    items: each(node.items, (item) =>
      item.kind === 'all'
        ? item
        : update(item, {
            expression: mapper.expression(item.expression),
            alias: optional(item.alias, (alias) => idiom(alias, mapper)),
          }),
    ),
  });
}

function group(node: Group, mapper: Mapper): Group {
  return node.kind === 'all' ? node : update(node, { paths: each(node.paths, (path) => idiom(path, mapper)) });
}

function order(node: Order, mapper: Mapper): Order {
  if (node.kind === 'random') return node;
  return update(node, { keys: each(node.keys, (key) => update(key, { path: idiom(key.path, mapper) })) });
}

function data(node: Data, mapper: Mapper): Data {
  switch (node.kind) {
    case 'set':
      return update(node, { assignments: assignments(node.assignments, mapper) });
    case 'unset':
      return update(node, { paths: each(node.paths, (path) => idiom(path, mapper)) });
    default:
      return update(node, { value: mapper.expression(node.value) });
  }
}

function assignments(nodes: readonly Assignment[], mapper: Mapper): readonly Assignment[] {
  return each(nodes, (node) => update(node, { path: idiom(node.path, mapper), value: mapper.expression(node.value) }));
}

function output(node: Output, mapper: Mapper): Output {
  return node.kind === 'project' ? update(node, { projections: projections(node.projections, mapper) }) : node;
}

function permission(node: Permission, mapper: Mapper): Permission {
  return node.kind === 'where' ? update(node, { condition: mapper.expression(node.condition) }) : node;
}

/** Permissions by action. */
function permissions<P extends Readonly<Record<string, Permission>>>(node: P, mapper: Mapper): P {
  const mapped = Object.entries(node).map(([action, granted]) => [action, permission(granted, mapper)]);
  return update<P>(node, Object.fromEntries(mapped) as P);
}

// ─── Statements ───

type Fields = {
  readonly where?: Expression;
  readonly limit?: Expression;
  readonly start?: Expression;
  readonly version?: Expression;
  readonly timeout?: Expression;
  readonly data?: Data;
  readonly output?: Output;
  readonly targets?: readonly Expression[];
  readonly fetch?: readonly Expression[];
};

/** The clauses that most statements have, as far as this one has them. */
function common(node: Fields, mapper: Mapper): { readonly [K in keyof Fields]: Fields[K] | undefined } {
  return {
    where: optional(node.where, mapper.expression),
    limit: optional(node.limit, mapper.expression),
    start: optional(node.start, mapper.expression),
    version: optional(node.version, mapper.expression),
    timeout: optional(node.timeout, mapper.expression),
    data: optional(node.data, (clause) => data(clause, mapper)),
    output: optional(node.output, (clause) => output(clause, mapper)),
    targets: each(node.targets, mapper.expression),
    fetch: each(node.fetch, mapper.expression),
  };
}

const DEFINITIONS: Rows<DefineStatement> = {
  'define-namespace': same,
  'define-database': same,
  'define-user': same,
  'define-analyzer': same,
  'define-table': (node, mapper) =>
    update(node, {
      view: optional(node.view, (view) => STATEMENTS.select(view, mapper)),
      permissions: permissions(node.permissions, mapper),
    }),
  'define-field': (node, mapper) =>
    update(node, {
      path: idiom(node.path, mapper),
      reference: optional(node.reference, (reference) =>
        reference.onDelete === 'then' ? update(reference, { then: mapper.expression(reference.then) }) : reference,
      ),
      default: optional(node.default, (clause) => update(clause, { value: mapper.expression(clause.value) })),
      value: optional(node.value, mapper.expression),
      assert: optional(node.assert, mapper.expression),
      computed: optional(node.computed, mapper.expression),
      permissions: optional(node.permissions, (clause) => permissions(clause, mapper)),
    }),
  'define-index': (node, mapper) =>
    update(node, {
      fields: each(node.fields, (path) => idiom(path, mapper)),
      indexKind:
        node.indexKind.kind === 'count'
          ? update(node.indexKind, { where: optional(node.indexKind.where, mapper.expression) })
          : node.indexKind,
    }),
  'define-event': (node, mapper) =>
    update(node, { when: optional(node.when, mapper.expression), then: each(node.then, mapper.expression) }),
  'define-param': (node, mapper) =>
    update(node, { value: mapper.expression(node.value), permissions: permission(node.permissions, mapper) }),
  'define-function': (node, mapper) =>
    update(node, { body: block(node.body, mapper), permissions: permission(node.permissions, mapper) }),
  'define-access': (node, mapper) =>
    update(node, {
      accessKind: accessKind(node.accessKind, mapper),
      authenticate: optional(node.authenticate, mapper.expression),
    }),
  'define-sequence': (node, mapper) =>
    update(node, {
      batch: mapper.expression(node.batch),
      start: mapper.expression(node.start),
      timeout: optional(node.timeout, mapper.expression),
    }),
  'define-config': (node, mapper) =>
    update(node, {
      config:
        node.config.kind === 'api'
          ? update(node.config, {
              middleware: each(node.config.middleware, mapper.expression),
              permissions: permission(node.config.permissions, mapper),
            })
          : node.config,
    }),
};

const STATEMENTS: Rows<Statement> = {
  ...DEFINITIONS,
  use: same,
  break: same,
  continue: same,
  begin: same,
  commit: same,
  cancel: same,
  option: same,
  rebuild: same,
  expression: (node, mapper) => update(node, { expression: mapper.expression(node.expression) }),
  let: (node, mapper) => update(node, { value: mapper.expression(node.value) }),
  return: (node, mapper) =>
    update(node, { value: mapper.expression(node.value), fetch: each(node.fetch, mapper.expression) }),
  throw: (node, mapper) => update(node, { value: mapper.expression(node.value) }),
  for: (node, mapper) => update(node, { over: mapper.expression(node.over), body: block(node.body, mapper) }),
  sleep: (node, mapper) => update(node, { duration: mapper.expression(node.duration) }),
  select: (node, mapper) =>
    update(node, {
      projections: projections(node.projections, mapper),
      omit: each(node.omit, mapper.expression),
      from: each(node.from, mapper.expression),
      split: idioms(node.split, mapper),
      group: optional(node.group, (clause) => group(clause, mapper)),
      order: optional(node.order, (clause) => order(clause, mapper)),
      ...common(node, mapper),
    }),
  create: (node, mapper) => update(node, common(node, mapper)),
  update: (node, mapper) => update(node, common(node, mapper)),
  upsert: (node, mapper) => update(node, common(node, mapper)),
  delete: (node, mapper) => update(node, common(node, mapper)),
  insert: (node, mapper) =>
    update(node, {
      into: optional(node.into, mapper.expression),
      data: insertData(node.data, mapper),
      onDuplicate: optional(node.onDuplicate, (nodes) => assignments(nodes, mapper)),
      output: optional(node.output, (clause) => output(clause, mapper)),
      version: optional(node.version, mapper.expression),
      timeout: optional(node.timeout, mapper.expression),
    }),
  relate: (node, mapper) =>
    update(node, {
      from: mapper.expression(node.from),
      edge: mapper.expression(node.edge),
      to: mapper.expression(node.to),
      ...common(node, mapper),
    }),
  live: (node, mapper) =>
    update(node, {
      projections: node.projections.kind === 'diff' ? node.projections : projections(node.projections, mapper),
      from: mapper.expression(node.from),
      where: optional(node.where, mapper.expression),
      fetch: each(node.fetch, mapper.expression),
    }),
  kill: (node, mapper) => update(node, { id: mapper.expression(node.id) }),
  'show-changes': same,
  info: (node, mapper) => update(node, { version: optional(node.version, mapper.expression) }),
  explain: (node, mapper) => update(node, { statement: mapper.statement(node.statement) }),
  access: (node, mapper) => {
    const { action } = node;
    if (action.kind === 'grant' && action.subject.kind === 'record') {
      const subject = update(action.subject, { record: mapper.expression(action.subject.record) });
      return update(node, { action: update(action, { subject }) });
    }
    if ((action.kind === 'show' || action.kind === 'revoke') && action.which.kind === 'where') {
      const which = update(action.which, { condition: mapper.expression(action.which.condition) });
      return update(node, { action: update(action, { which }) });
    }
    return node;
  },
  alter: (node, mapper) => {
    const row = DEFINITIONS[node.definition.kind] as (definition: Alterable, mapper: Mapper) => Alterable;
    return update(node, { definition: row(node.definition, mapper) });
  },
  'alter-place': (node, mapper) =>
    typeof node.queryTimeout === 'object' ? update(node, { queryTimeout: mapper.expression(node.queryTimeout) }) : node,
  remove: (node, mapper) =>
    update(node, {
      of: node.of.kind === 'field' ? update(node.of, { path: idiom(node.of.path, mapper) }) : node.of,
    }),
};

function block(node: Block, mapper: Mapper): Block {
  return EXPRESSIONS.block(node, mapper);
}

function insertData(node: Insert['data'], mapper: Mapper): Insert['data'] {
  if (node.kind === 'value') return update(node, { value: mapper.expression(node.value) });
  return update(node, {
    fields: each(node.fields, (path) => idiom(path, mapper)),
    rows: each(node.rows, (row) => each(row, mapper.expression)),
  });
}

function accessKind(node: AccessKind, mapper: Mapper): AccessKind {
  if (node.kind !== 'record') return node;
  return update(node, {
    signup: optional(node.signup, mapper.expression),
    signin: optional(node.signin, mapper.expression),
  });
}

// ─── The ways in ───

function isStatement(node: Expression | Statement): node is Statement {
  return node.kind in STATEMENTS;
}

/** The node with the expressions and statements right inside it mapped; itself if none of them has changed. */
export function mapChildren<Node extends Expression | Statement>(node: Node, mapper: Mapper): Node {
  const rows: Readonly<Record<string, unknown>> = isStatement(node) ? STATEMENTS : EXPRESSIONS;
  return (rows[node.kind] as (node: Node, mapper: Mapper) => Node)(node, mapper);
}

export interface Visitor {
  /** Called before what stands inside; `false` leaves that out. */
  expression?(node: Expression): unknown;
  statement?(node: Statement): unknown;
}

/** Visits a node and all expressions and statements in it, outer ones first, in the order of the text. */
export function walk(root: Expression | Statement, visitor: Visitor): void {
  const mapper: Mapper = {
    expression(node) {
      if (visitor.expression?.(node) !== false) mapChildren(node, mapper);
      return node;
    },
    statement(node) {
      if (visitor.statement?.(node) !== false) mapChildren(node, mapper);
      return node;
    },
  };
  if (isStatement(root)) mapper.statement(root);
  else mapper.expression(root);
}

/** Gives what an expression is to become, or `undefined` to look at what stands inside it. */
export type Replace = (node: Expression) => Expression | undefined;

/** Rewrites the expressions of a statement, those in subqueries included, outer ones first. */
export function transform<Node extends Expression | Statement>(root: Node, replace: Replace): Node {
  const mapper: Mapper = {
    expression: (node) => replace(node) ?? mapChildren(node, mapper),
    statement: (node) => mapChildren(node, mapper),
  };
  return isStatement(root) ? mapChildren(root, mapper) : (mapper.expression(root) as Node);
}

/** Rewrites an expression without going into what has rows or params of its own: statements in it, blocks and closures. */
export function transformExpression(root: Expression, replace: Replace): Expression {
  const mapper: Mapper = {
    expression: (node) => replace(node) ?? (node.kind === 'closure' ? node : mapChildren(node, mapper)),
    statement: same,
  };
  return mapper.expression(root);
}
