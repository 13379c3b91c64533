/**
 * Definitions as objects, for INFO … STRUCTURE. The members are the reference engine's; clauses that a definition lacks
 * are left out.
 */
import { fieldName } from '../../catalog/ddl/define.js';
import type { AccessDefinition, IndexDefinition, SettledConfig } from '../../catalog/definitions/definition.js';
import { stateOf } from '../../catalog/definitions/index-states.js';
import type { Definition, DefinitionKind, DefinitionOf } from '../../catalog/definitions/stored-definition.js';
import { roleNames } from '../../catalog/principal.js';
import {
  type AccessKind,
  ASYNC_EVENT,
  type Changefeed,
  type Durations,
  type Expression,
  type GraphqlConfig,
  type Handling,
  type InGraphql,
  type JwtAccess,
  type Permission,
  type Reference,
  type TableKind,
} from '../../language/ast.js';
import { printExpression, printFilter, printIdiom, printProjections, printStatement } from '../../language/print.js';
import type { ListedLiveQuery } from '../../runtime/execution.js';
import { toText } from '../../value/text/text.js';
import { typeText } from '../../value/text/type-text.js';
import { Duration, newObject, type ObjectValue, objectFrom, Table, type Value } from '../../value/value.js';
import { REDACTED } from '../define/redacted.js';
import { structureCode } from './text.js';

/** A definition as INFO … STRUCTURE shows it: its clauses as fields. */
export function describeDefinition<K extends DefinitionKind>(definition: DefinitionOf<K>): ObjectValue {
  // The row of a kind takes definitions of that kind, which a lookup by a kind known only in general can't tell the
  // compiler.
  const row = DESCRIPTIONS[definition.kind] as unknown as (definition: Definition) => Members;
  return said(row(definition));
}

/** Members of an object, in the order of their names; `ABSENT` ones are left out, NONE ones are shown. */
type Members = Readonly<Record<string, Value | typeof ABSENT>>;
const ABSENT: unique symbol = Symbol('absent');

function said(members: Members): ObjectValue {
  const object = newObject();
  for (const [name, value] of Object.entries(members)) if (value !== ABSENT) object[name] = value;
  return object;
}

function orAbsent(value: Value): Value | typeof ABSENT {
  return value === undefined ? ABSENT : value;
}

const DESCRIPTIONS: { readonly [K in DefinitionKind]: (definition: DefinitionOf<K>) => Members } = {
  'define-namespace': ({ comment, id, name }) => ({ comment: orAbsent(comment), id, name }),

  'define-database': ({ changefeed, comment, id, name, strict }) => ({
    changefeed: changefeedOf(changefeed),
    comment: orAbsent(comment),
    id,
    name,
    strict: strict || ABSENT,
  }),

  'define-table': (table) => ({
    changefeed: changefeedOf(table.changefeed),
    comment: orAbsent(table.comment),
    drop: table.drop,
    ...inGraphql(table),
    id: table.id,
    kind: tableKindOf(table.tableKind),
    name: table.name,
    permissions: permissionsOf(table.permissions),
    schemafull: table.schemafull,
    view: table.view === undefined ? ABSENT : `AS ${printStatement(table.view)}`,
  }),

  'define-field': (field) => ({
    assert: codeOf(field.assert),
    comment: orAbsent(field.comment),
    computed: codeOf(field.computed),
    default: codeOf(field.default?.value),
    default_always: orAbsent(field.default?.always),
    flexible: field.flexible || ABSENT,
    ...inGraphql(field),
    kind: field.type === undefined ? ABSENT : typeText(field.type),
    name: fieldName(field),
    permissions: permissionsOf(field.permissions ?? { select: FULL, create: FULL, update: FULL }),
    readonly: field.readonly,
    reference: field.reference === undefined ? ABSENT : objectFrom({ on_delete: onDelete(field.reference) }),
    table: field.table,
    value: codeOf(field.value),
  }),

  'define-index': (index) => ({
    cols: index.fields.map((field) => printIdiom(field)),
    comment: orAbsent(index.comment),
    index: indexKindText(index),
    name: index.name,
    prepare_remove: stateOf(index) === 'withdrawn' || ABSENT,
    table: index.table,
  }),

  'define-event': ({ async, comment, name, table, then, when }) => ({
    async: async !== undefined || ABSENT,
    comment: orAbsent(comment),
    maxdepth: async === undefined ? ABSENT : (async.maxDepth ?? ASYNC_EVENT.maxDepth),
    name,
    retry: async === undefined ? ABSENT : (async.retry ?? ASYNC_EVENT.retry),
    then: then.map(structureCode),
    what: new Table(table),
    when: codeOf(when),
  }),

  'define-param': ({ comment, name, permissions, value }) => ({
    comment: orAbsent(comment),
    name,
    permissions: permissionOf(permissions),
    value: toText(value),
  }),

  'define-function': (called) => ({
    args: called.parameters.map((parameter) => [parameter.name, typeText(parameter.type)]),
    block: structureCode(called.body),
    comment: orAbsent(called.comment),
    ...inGraphql(called),
    name: called.name,
    permissions: permissionOf(called.permissions),
    returns: called.returns === undefined ? ABSENT : typeText(called.returns),
  }),

  'define-sequence': ({ batch, name, permissions, start, timeout }) => ({
    batch: structureCode(batch),
    name,
    ...(permissions !== undefined && { permissions: permissionOf(permissions) }),
    start: structureCode(start),
    timeout: timeout?.kind === 'literal' ? timeout.value : undefined,
  }),

  'define-user': ({ comment, durations, name, roles }) => ({
    comment: orAbsent(comment),
    duration: durationsOf(durations),
    hash: REDACTED,
    name,
    roles: roleNames(roles),
  }),

  'define-access': (access) => ({
    authenticate: codeOf(access.authenticate),
    comment: orAbsent(access.comment),
    duration: durationsOf(access.durations),
    ...(access.errors !== undefined && { errors: access.errors.toUpperCase() }),
    kind: accessKindOf(access),
    name: access.name,
  }),

  'define-api': ({ actions, comment, fallback, handling, name }) => ({
    actions: actions.map(({ action, handling: own, methods }) =>
      objectFrom({ action: structureCode(action), config: handlingOf(own), methods: [...methods] }),
    ),
    comment: orAbsent(comment),
    config: handlingOf(handling),
    fallback: codeOf(fallback),
    path: name,
  }),

  'define-config': ({ comment, config }) => ({
    comment: orAbsent(comment),
    [config.kind]: CONFIGS[config.kind](config as never),
  }),

  'define-analyzer': ({ comment, filters, function: called, name, tokenizers }) => ({
    comment: orAbsent(comment),
    filters: filters.length === 0 ? ABSENT : filters.map(printFilter),
    function: orAbsent(called),
    name,
    tokenizers: tokenizers.length === 0 ? ABSENT : tokenizers.map((tokenizer) => tokenizer.toUpperCase()),
  }),
};

function inGraphql({ graphqlAlias, graphqlDeprecated }: InGraphql): Members {
  return { graphql_alias: orAbsent(graphqlAlias), graphql_deprecated: orAbsent(graphqlDeprecated) };
}

const FULL: Permission = { kind: 'full' };

function codeOf(expression: Expression | undefined): string | typeof ABSENT {
  return expression === undefined ? ABSENT : structureCode(expression);
}

/** FULL is true, NONE is false, and a condition is its text. */
function permissionOf(permission: Permission): Value {
  return permission.kind === 'where' ? structureCode(permission.condition) : permission.kind === 'full';
}

/** A live query. The reference engine also names the server that looks after it. */
export function describeLive({ id, statement, table }: ListedLiveQuery): ObjectValue {
  const { projections, where, fetch } = statement;
  return said({
    cond: codeOf(where),
    fetch: fetch === undefined ? ABSENT : fetch.map((each) => printExpression(each)),
    fields: projections.kind === 'diff' ? 'diff' : printProjections(projections),
    id,
    what: table.definition.name,
  });
}

function permissionsOf(permissions: Readonly<Record<string, Permission>>): ObjectValue {
  const actions = Object.keys(permissions).sort();
  return objectFrom(actions.map((action) => [action, permissionOf(permissions[action] as Permission)] as const));
}

function changefeedOf(changefeed: Changefeed | undefined): Value | typeof ABSENT {
  if (changefeed === undefined) return ABSENT;
  return objectFrom({ expiry: new Duration(changefeed.retention), original: changefeed.original });
}

function tableKindOf(kind: TableKind): ObjectValue {
  if (kind.kind !== 'relation') return objectFrom({ kind: kind.kind.toUpperCase() });
  return said({
    enforced: kind.enforced,
    in: orAbsent(kind.from),
    kind: 'RELATION',
    out: orAbsent(kind.to),
  });
}

function onDelete(reference: Reference): string {
  return reference.onDelete === 'then' ? `THEN ${structureCode(reference.then)}` : reference.onDelete.toUpperCase();
}

/** The clause of the index's kind: `UNIQUE`, `COUNT`, `FULLTEXT ANALYZER …`. */
function indexKindText({ comment: _, ...index }: IndexDefinition): string {
  const plain = printStatement({ ...index, indexKind: { kind: 'plain' } });
  return printStatement(index).slice(plain.length).trim();
}

function durationsOf(durations: Durations): ObjectValue {
  const lifetime = (kind: keyof Durations): Value | typeof ABSENT => {
    if (!(kind in durations)) return ABSENT;
    const nanoseconds = durations[kind];
    return nanoseconds === undefined ? undefined : new Duration(nanoseconds);
  };
  return said({ grant: lifetime('grant'), session: lifetime('session'), token: lifetime('token') });
}

function accessKindOf({ accessKind }: AccessDefinition): ObjectValue {
  return said(ACCESS_KINDS[accessKind.kind](accessKind as never));
}

const ACCESS_KINDS: {
  readonly [K in AccessKind['kind']]: (accessKind: Extract<AccessKind, { readonly kind: K }>) => Members;
} = {
  jwt: ({ jwt }) => ({ jwt: jwtOf(jwt), kind: 'JWT' }),
  record: ({ jwt, refresh, signin, signup }) => ({
    jwt: jwt === undefined ? ABSENT : jwtOf(jwt),
    kind: 'RECORD',
    refresh: refresh || ABSENT,
    signin: codeOf(signin),
    signup: codeOf(signup),
  }),
  bearer: ({ subject }) => ({ jwt: jwtOf(BEARER_JWT), kind: 'BEARER', subject: subject.toUpperCase() }),
};

/** A BEARER access signs its tokens with a secret of its own. */
const BEARER_JWT: JwtAccess = { verify: { kind: 'key', algorithm: 'HS512', key: '' }, issuer: { key: '' } };

/** Only public keys and URLs are shown. */
function jwtOf({ issuer, verify, require: required }: JwtAccess): ObjectValue {
  const shown = (key: string) => (verify.kind === 'key' && verify.algorithm.startsWith('HS') ? REDACTED : key);
  return said({
    issuer:
      issuer === undefined
        ? ABSENT
        : objectFrom({
            alg: issuer.algorithm ?? (verify.kind === 'key' ? verify.algorithm : 'HS512'),
            key: REDACTED,
          }),
    require:
      required === undefined
        ? ABSENT
        : objectFrom({ audience: [...required.audiences], issuer: [...required.issuers] }),
    verify:
      verify.kind === 'url'
        ? objectFrom({ url: verify.url })
        : said({
            alg: verify.algorithm,
            key: shown(verify.key),
            retired: verify.retired?.map(({ key, until }) => objectFrom({ key: shown(key), until })) ?? ABSENT,
          }),
  });
}

const CONFIGS: {
  readonly [K in SettledConfig['kind']]: (config: Extract<SettledConfig, { readonly kind: K }>) => Value;
} = {
  graphql: (config) =>
    said({
      complexity_limit: orAbsent(config.complexity),
      depth_limit: orAbsent(config.depth),
      functions: selectionOf(config.functions, (name) => name),
      introspection: config.introspection === 'none' ? undefined : ABSENT,
      tables: selectionOf(config.tables, (name) => new Table(name)),
    }),
  api: handlingOf,
  default: ({ database, namespace }) => said({ database: orAbsent(database), namespace: orAbsent(namespace) }),
};

function handlingOf({ middleware, permissions }: Handling): ObjectValue {
  const calls = middleware.map(({ args, path }) => [path, args.map(structureCode)] as const);
  return said({
    middleware: calls.length === 0 ? ABSENT : objectFrom(calls),
    permissions: permissionOf(permissions),
  });
}

function selectionOf(selection: GraphqlConfig['tables'], value: (name: string) => Value): Value {
  if ('names' in selection) return objectFrom({ [selection.kind]: selection.names.map(value) });
  return autoOrNone(selection.kind);
}

function autoOrNone(kind: 'auto' | 'none'): Value {
  return kind === 'auto' ? 'AUTO' : undefined;
}
