/** Expressions, and the clauses that statements and graph steps are made of. */
import type {
  Assignment,
  Block,
  Data,
  DestructureField,
  Expression,
  Group,
  Idiom,
  KeyBound,
  Order,
  Output,
  Part,
  Projections,
  RecordKeyExpression,
} from '../ast.js';
import { each, type Mapper, type NodeMappers, optional, same, update } from './rebuild.js';

export const EXPRESSION_MAPPERS: NodeMappers<Expression> = {
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

/** The expression with the expressions and statements right inside it mapped. */
export function mapExpression(node: Expression, mapper: Mapper): Expression {
  return (EXPRESSION_MAPPERS[node.kind] as (node: Expression, mapper: Mapper) => Expression)(node, mapper);
}

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

/** A key keeps its kind; its parts are mapped. */
function keyValue(value: KeyBound['value'], mapper: Mapper): KeyBound['value'] {
  return mapExpression(value, mapper) as KeyBound['value'];
}

const PARTS: NodeMappers<Part> = {
  field: same,
  last: same,
  all: same,
  optional: same,
  flatten: same,
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
export function idiom(node: Idiom, mapper: Mapper): Idiom {
  return EXPRESSION_MAPPERS.idiom(node, mapper);
}

export function idioms(nodes: readonly Idiom[] | undefined, mapper: Mapper): readonly Idiom[] | undefined {
  return each(nodes, (node) => idiom(node, mapper));
}

export function projections(node: Projections, mapper: Mapper): Projections {
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

export function group(node: Group, mapper: Mapper): Group {
  return node.kind === 'all' ? node : update(node, { paths: each(node.paths, (path) => idiom(path, mapper)) });
}

export function order(node: Order, mapper: Mapper): Order {
  if (node.kind === 'random') return node;
  return update(node, { keys: each(node.keys, (key) => update(key, { path: idiom(key.path, mapper) })) });
}

export function data(node: Data, mapper: Mapper): Data {
  switch (node.kind) {
    case 'set':
      return update(node, { assignments: assignments(node.assignments, mapper) });
    case 'unset':
      return update(node, { paths: each(node.paths, (path) => idiom(path, mapper)) });
    default:
      return update(node, { value: mapper.expression(node.value) });
  }
}

export function assignments(nodes: readonly Assignment[], mapper: Mapper): readonly Assignment[] {
  return each(nodes, (node) => update(node, { path: idiom(node.path, mapper), value: mapper.expression(node.value) }));
}

export function output(node: Output, mapper: Mapper): Output {
  return node.kind === 'project' ? update(node, { projections: projections(node.projections, mapper) }) : node;
}

export function block(node: Block, mapper: Mapper): Block {
  return EXPRESSION_MAPPERS.block(node, mapper);
}
