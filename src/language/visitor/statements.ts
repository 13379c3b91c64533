/** Statements other than definitions. */
import type { DefineStatement, Info, Insert, Name, Statement } from '../ast.js';
import { assignments, block, idiom, output, projections } from './expressions.js';
import { name, names } from './names.js';
import { each, type Mapper, type NodeMappers, optional, same, update } from './rebuild.js';
import { common, select } from './select.js';

export const STATEMENT_MAPPERS: Omit<NodeMappers<Statement>, DefineStatement['kind'] | 'alter'> = {
  use: (node, mapper) => {
    const mapped = (part: Name): Name => name(part, mapper);
    return update(node, { namespace: optional(node.namespace, mapped), database: optional(node.database, mapped) });
  },
  break: same,
  continue: same,
  begin: same,
  commit: same,
  cancel: same,
  option: same,
  sleep: same,
  rebuild: same,
  expression: (node, mapper) => update(node, { expression: mapper.expression(node.expression) }),
  let: (node, mapper) => update(node, { value: mapper.expression(node.value) }),
  return: (node, mapper) =>
    update(node, { value: mapper.expression(node.value), fetch: each(node.fetch, mapper.expression) }),
  throw: (node, mapper) => update(node, { value: mapper.expression(node.value) }),
  for: (node, mapper) => update(node, { over: mapper.expression(node.over), body: block(node.body, mapper) }),
  select,
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
      since: optional(node.since, mapper.expression),
    }),
  'live-result': (node, mapper) =>
    update(node, {
      expression: mapper.expression(node.expression),
      since: optional(node.since, mapper.expression),
    }),
  kill: (node, mapper) => update(node, { id: mapper.expression(node.id) }),
  'kill-sessions': (node, mapper) => {
    const { which } = node;
    if (which.kind === 'one') return update(node, { which: update(which, { id: mapper.expression(which.id) }) });
    if (which.kind !== 'record') return node;
    return update(node, { which: update(which, { record: mapper.expression(which.record) }) });
  },
  'failed-events': (node, mapper) => update(node, { id: optional(node.id, mapper.expression) }),
  'show-changes': same,
  info: (node, mapper) =>
    update(node, { of: infoSubject(node.of, mapper), version: optional(node.version, mapper.expression) }),
  explain: (node, mapper) => update(node, { statement: mapper.statement(node.statement) }),
  'explain-permissions': (node, mapper) =>
    update(node, {
      statement: mapper.statement(node.statement) as typeof node.statement,
      as: optional(node.as, mapper.expression),
    }),
  'explain-record-permissions': (node, mapper) =>
    update(node, {
      target: mapper.expression(node.target),
      to: optional(node.to, mapper.expression),
      as: optional(node.as, mapper.expression),
    }),
  access: (node, mapper) => {
    const { action } = node;
    if (action.kind === 'grant' && action.subject.kind === 'record') {
      const subject = update(action.subject, { record: mapper.expression(action.subject.record) });
      return update(node, { action: update(action, { subject }) });
    }
    if (action.kind === 'link')
      return update(node, { action: update(action, { record: mapper.expression(action.record) }) });
    if ((action.kind === 'show' || action.kind === 'revoke') && action.which.kind === 'where') {
      const which = update(action.which, { condition: mapper.expression(action.which.condition) });
      return update(node, { action: update(action, { which }) });
    }
    return node;
  },
  'alter-level': (node, mapper) =>
    typeof node.queryTimeout === 'object' ? update(node, { queryTimeout: mapper.expression(node.queryTimeout) }) : node,
  remove: (node, mapper) =>
    update(node, {
      of: names(node.of.kind === 'field' ? update(node.of, { path: idiom(node.of.path, mapper) }) : node.of, mapper),
    }),
};

function insertData(node: Insert['data'], mapper: Mapper): Insert['data'] {
  if (node.kind === 'value') return update(node, { value: mapper.expression(node.value) });
  return update(node, {
    fields: each(node.fields, (path) => idiom(path, mapper)),
    rows: each(node.rows, (row) => each(row, mapper.expression)),
  });
}

function infoSubject(of: Info['of'], mapper: Mapper): Info['of'] {
  return of.kind === 'audit' ? update(of, { where: optional(of.where, mapper.expression) }) : names(of, mapper);
}
