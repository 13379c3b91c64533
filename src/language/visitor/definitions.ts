/** Definitions. */
import type { AccessKind, Config, DefineStatement, Handling, Name, Permission } from '../ast.js';
import { block, idiom } from './expressions.js';
import { each, type Mapper, type NodeMappers, optional, same, update } from './rebuild.js';
import { select } from './select.js';

/** A name, which may be an expression. */
export function name(node: Name, mapper: Mapper): Name {
  return typeof node === 'string' ? node : mapper.expression(node);
}

/** The names that a node may have. */
export function names<Node extends object>(
  node: Node & { readonly name?: Name; readonly table?: Name },
  mapper: Mapper,
): Node {
  const fields: { name?: Name; table?: Name } = {};
  if (node.name !== undefined) fields.name = name(node.name, mapper);
  if (node.table !== undefined) fields.table = name(node.table, mapper);
  return update<{ readonly name?: Name; readonly table?: Name }>(node, fields) as Node;
}

/** Common parts of definitions: names, and clauses that are computed. */
function head<Node extends DefineStatement>(node: Node, mapper: Mapper): Node {
  const named = names(node, mapper);
  const computed = node.computedClauses;
  if (computed === undefined) return named;
  const clauses = update(computed, {
    comment: optional(computed.comment, mapper.expression),
    durations: optional(computed.durations, (lifetimes) =>
      update(lifetimes, {
        grant: optional(lifetimes.grant, mapper.expression),
        token: optional(lifetimes.token, mapper.expression),
        session: optional(lifetimes.session, mapper.expression),
      }),
    ),
    jwt: optional(computed.jwt, (jwt) =>
      update(jwt, {
        key: optional(jwt.key, mapper.expression),
        url: optional(jwt.url, mapper.expression),
        issuerKey: optional(jwt.issuerKey, mapper.expression),
      }),
    ),
  });
  return clauses === computed ? named : { ...named, computedClauses: clauses };
}

/** A definition with its parts mapped. */
export function definition<Node extends DefineStatement>(node: Node, mapper: Mapper): Node {
  const row = DEFINITION_MAPPERS[node.kind] as unknown as (node: Node, mapper: Mapper) => Node;
  return row(head(node, mapper), mapper);
}

export const DEFINITION_MAPPERS: NodeMappers<DefineStatement> = {
  'define-namespace': same,
  'define-database': same,
  'define-user': same,
  'define-analyzer': same,
  'define-table': (node, mapper) =>
    update(node, {
      view: optional(node.view, (view) => select(view, mapper)),
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
      fields: each(node.fields, mapper.expression),
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
      permissions: optional(node.permissions, (granted) => permission(granted, mapper)),
    }),
  'define-api': (node, mapper) =>
    update(node, {
      handling: handling(node.handling, mapper),
      fallback: optional(node.fallback, mapper.expression),
      actions: each(node.actions, (each) =>
        update(each, { handling: handling(each.handling, mapper), action: mapper.expression(each.action) }),
      ),
    }),
  'define-bucket': (node, mapper) =>
    update(node, {
      backend: optional(node.backend, mapper.expression),
      permissions: permission(node.permissions, mapper),
    }),
  'define-module': (node, mapper) => update(node, { source: mapper.expression(node.source) }),
  'define-config': (node, mapper) => update(node, { config: config(node.config, mapper) }),
};

function config(node: Config, mapper: Mapper): Config {
  switch (node.kind) {
    case 'graphql':
      return node;
    case 'api':
      return handling(node, mapper);
    case 'default':
      return update(node, {
        namespace: optional(node.namespace, (given) => name(given, mapper)),
        database: optional(node.database, (given) => name(given, mapper)),
      });
  }
}

function handling<H extends Handling>(node: H, mapper: Mapper): H {
  return update<Handling>(node, {
    middleware: each(node.middleware, (call) => update(call, { args: each(call.args, mapper.expression) })),
    permissions: permission(node.permissions, mapper),
  }) as H;
}

function permission(node: Permission, mapper: Mapper): Permission {
  return node.kind === 'where' ? update(node, { condition: mapper.expression(node.condition) }) : node;
}

/** Permissions by action. */
function permissions<P extends Readonly<Record<string, Permission>>>(node: P, mapper: Mapper): P {
  const mapped = Object.entries(node).map(([action, granted]) => [action, permission(granted, mapper)]);
  return update<P>(node, Object.fromEntries(mapped) as P);
}

function accessKind(node: AccessKind, mapper: Mapper): AccessKind {
  if (node.kind !== 'record') return node;
  return update(node, {
    signup: optional(node.signup, mapper.expression),
    signin: optional(node.signin, mapper.expression),
  });
}
