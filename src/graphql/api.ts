/** The GraphQL APIs of databases, made from their definitions and cached until these change. */
import {
  GraphQLObjectType,
  GraphQLSchema,
  type OperationDefinitionNode,
  printSchema,
  specifiedDirectives,
} from 'graphql';
import { TwoGenerationCache } from '../base/two-generation-cache.js';
import type { DatabaseCatalog, TableEntry } from '../catalog/definitions/database-catalog.js';
import type { FunctionDefinition } from '../catalog/definitions/definition.js';
import { failure } from '../errors/error.js';
import type { GraphqlConfig, Permission } from '../language/ast.js';
import { changingFunctions } from '../plan/effects.js';
import type { Session } from '../session/contract.js';
import { EffectiveLimitsByRole, type RulesOfRoles } from './base/effective-limits.js';
import type { GraphqlLimits } from './base/limits.js';
import { Documents, type PreparedOperation } from './document/prepare.js';
import { LIVE } from './execution/live-query.js';
import { Operation } from './execution/operation.js';
import { TRANSACTION } from './execution/transaction.js';
import { mutationFields } from './root-fields/mutation.js';
import { queryFields } from './root-fields/query.js';
import { SESSION_FIELDS } from './root-fields/sign-in.js';
import { subscriptionFields } from './root-fields/subscription.js';
import { Inputs } from './types/inputs.js';
import { type SchemaView, TableTypes } from './types/table-types.js';

const KEPT_APIS = 64;

interface KnownApi {
  /** Of the definitions from which it was made: the next request sees a change of any. */
  readonly stamp: string;
  readonly api: DatabaseApi;
}

/** One state of a database's definitions, for users who see all of it or for users subject to PERMISSIONS. */
export class DatabaseApi {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly effectiveLimits: EffectiveLimitsByRole;
  /** By their nodes, which are kept with the documents. */
  readonly #operations = new WeakMap<OperationDefinitionNode, Operation>();
  #sdl: string | undefined;

  constructor(schema: GraphQLSchema, effectiveLimits: EffectiveLimitsByRole) {
    this.schema = schema;
    this.documents = new Documents(schema);
    this.effectiveLimits = effectiveLimits;
  }

  /** The schema as text. */
  get sdl(): string {
    this.#sdl ??= printSchema(this.schema);
    return this.#sdl;
  }

  operation({ document, operation }: PreparedOperation): Operation {
    let known = this.#operations.get(operation);
    if (known === undefined) {
      known = new Operation(this.schema, document, operation);
      this.#operations.set(operation, known);
    }
    return known;
  }
}

/** The API of guests who may run no statements: signing in. */
const SIGN_IN_ONLY = new GraphQLSchema({
  mutation: new GraphQLObjectType({ name: 'Mutation', fields: SESSION_FIELDS }),
  assumeValid: true,
});

export interface ApiOptions {
  readonly limits: GraphqlLimits;
  readonly roles: RulesOfRoles;
  readonly guardedByDefault: boolean;
  readonly hideDenied: boolean;
  readonly warn: ((warning: string) => void) | undefined;
}

export class DatabaseApis {
  readonly #options: ApiOptions;
  /** For guests who may run no statements. */
  readonly signInOnly: DatabaseApi;
  /** By database and view; only that of the latest definitions, so that changing them often doesn't fill the memory. */
  readonly #known = new TwoGenerationCache<string, KnownApi>(KEPT_APIS);

  constructor(options: ApiOptions) {
    this.#options = options;
    this.signInOnly = new DatabaseApi(SIGN_IN_ONLY, new EffectiveLimitsByRole(options.limits, options.roles, {}));
  }

  /**
   * The API of the selected database, with these definitions, for a session.
   * @throws TesseraError `graphql_not_configured`, `graphql_no_tables`
   */
  of(session: Session, catalog: DatabaseCatalog | undefined): DatabaseApi {
    const { limits, roles, guardedByDefault, hideDenied, warn } = this.#options;
    const config = catalog?.configs.get('graphql')?.config;
    if (catalog === undefined || config?.kind !== 'graphql' || !exposesAny(config)) {
      throw failure('graphql_not_configured');
    }
    const hidesDenied = hideDenied && session.identity.principal.kind !== 'system';
    const { namespace, database, stamp } = catalog;
    const key = JSON.stringify([namespace.id, database.id, hidesDenied]);
    const known = this.#known.get(key);
    if (known?.stamp === stamp) return known.api;
    const all = exposedBy(catalog, config);
    const exposed = hidesDenied ? withoutDenied(all) : all;
    if (exposed.tables.length === 0 && exposed.functions.length === 0) throw failure('graphql_no_tables');
    const { schema, warnings } = buildSchema(exposed, { guardedByDefault, hidesDenied });
    for (const warning of warnings) warn?.(`In the GraphQL schema of ${namespace.name}/${database.name}, ${warning}`);
    const api = new DatabaseApi(schema, new EffectiveLimitsByRole(limits, roles, config));
    this.#known.set(key, { stamp, api });
    return api;
  }
}

function exposesAny({ tables, functions }: GraphqlConfig): boolean {
  return tables.kind !== 'none' || functions.kind !== 'none';
}

// The schema of a database: what its GRAPHQL config exposes, as the definitions of tables and fields describe it.

interface BuiltSchema {
  readonly schema: GraphQLSchema;
  /** Definitions that the schema can't represent. */
  readonly warnings: readonly string[];
}

export function buildSchema({ tables, functions, changing, buckets }: Exposed, view: SchemaView): BuiltSchema {
  const types = new TableTypes(tables, buckets, view);
  const inputs = new Inputs(types);
  const subscriptions = subscriptionFields(types);
  const reading = functions.filter(({ name }) => !changing.has(name));
  const writing = functions.filter(({ name }) => changing.has(name));
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: queryFields(types, inputs, reading) }),
    mutation: new GraphQLObjectType({ name: 'Mutation', fields: mutationFields(types, inputs, writing) }),
    ...(tables.length > 0 && {
      subscription: new GraphQLObjectType({ name: 'Subscription', fields: subscriptions }),
    }),
    directives: [...specifiedDirectives, TRANSACTION, LIVE],
    types: [types.hidden],
    // Names are made legal, and every object has a field: there is nothing to be found out by looking through it again.
    assumeValid: true,
  });
  return { schema, warnings: types.warnings };
}

// The tables and functions that a GRAPHQL config exposes.

/** In the order of their names. */
interface Exposed {
  readonly tables: readonly TableEntry[];
  readonly functions: readonly FunctionDefinition[];
  /** The names of those functions of the database that may change something. */
  readonly changing: ReadonlySet<string>;
  /** The names of the buckets, which no config hides: their rules do. */
  readonly buckets: ReadonlySet<string>;
}

/** The tables and functions that DEFINE CONFIG GRAPHQL exposes. */
export function exposedBy({ tables, functions, buckets }: DatabaseCatalog, config: GraphqlConfig): Exposed {
  return {
    tables: [...tables.values()].filter(({ definition }) => exposes(config.tables, definition.name)),
    functions: [...functions.values()].filter(({ name }) => exposes(config.functions, name)),
    changing: changingFunctions(functions),
    buckets: new Set(buckets.keys()),
  };
}

function exposes(exposed: GraphqlConfig['tables'], name: string): boolean {
  switch (exposed.kind) {
    case 'none':
      return false;
    case 'auto':
      return true;
    default:
      return exposed.names.includes(name) === (exposed.kind === 'include');
  }
}

/** Without the parts to which users subject to PERMISSIONS have no access. */
function withoutDenied({ tables, functions, ...rest }: Exposed): Exposed {
  return {
    tables: tables.filter(({ definition }) =>
      Object.values(definition.permissions).some(({ kind }: Permission) => kind !== 'none'),
    ),
    functions: functions.filter(({ permissions }) => permissions.kind !== 'none'),
    ...rest,
  };
}
