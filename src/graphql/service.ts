/** Answers GraphQL requests of sessions, whatever the transport. */
import { type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode, printSchema } from 'graphql';
import { LruCache } from '../base/lru-cache.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { Session } from '../session/contract.js';
import { type Allowance, Allowances, type RulesOfRoles } from './allowance.js';
import { buildSchema } from './build-schema.js';
import { Documents, type PreparedOperation } from './document/prepare.js';
import { TrustedDocuments, type TrustedOptions } from './document/trusted.js';
import { readVariables } from './document/variables.js';
import { fieldFailure, type GraphqlFailure } from './errors.js';
import { BudgetExceeded, Spending } from './execution/budget.js';
import { Call } from './execution/call.js';
import { Operation } from './execution/operation.js';
import { type RootResult, runMutation, runQuery } from './execution/run.js';
import { DEFAULT_GRAPHQL_LIMITS, type GraphqlLimits } from './limits.js';
import type { GraphqlRequest } from './request.js';
import { exposedTables, isDenied } from './schema/exposed-tables.js';

export interface GraphqlOptions {
  readonly limits?: Partial<GraphqlLimits>;
  /** What roles have of their own. */
  readonly roles?: RulesOfRoles;
  /** Documents that are known by id. */
  readonly trusted?: TrustedOptions;
  /** Whether fields without PERMISSIONS are hidden from record users (`--field-permissions none`). */
  readonly fieldPermissions?: 'inherit' | 'none';
  /** Whether tables and fields that PERMISSIONS never show to record users and guests are left out of the schema for them. */
  readonly hideDenied?: boolean;
  /** Takes errors of our own making, for the log. */
  readonly report?: (error: TesseraError) => void;
  /** Takes what a schema can't show as it is defined, once for each schema. */
  readonly warn?: (warning: string) => void;
}

export interface Outcome {
  /** In the order in which they were asked for; absent when nothing was run. */
  readonly roots?: readonly RootResult[];
  readonly failures: readonly GraphqlFailure[];
}

interface Api {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  /** By their nodes, which are kept with the documents. */
  readonly operations: WeakMap<OperationDefinitionNode, Operation>;
  readonly allowances: Allowances;
  /** The schema as text, once somebody has asked for it. */
  sdl?: string;
}

const KEPT_SCHEMAS = 64;

export class GraphqlService {
  readonly #limits: GraphqlLimits;
  readonly #roles: RulesOfRoles;
  readonly #anywhere: Allowances;
  readonly #trusted: TrustedDocuments;
  readonly #guardedByDefault: boolean;
  readonly #hideDenied: boolean;
  readonly #report: GraphqlOptions['report'];
  readonly #warn: GraphqlOptions['warn'];
  /**
   * By the state of the definitions they were made from, and by whether they are for those who are bound by PERMISSIONS. A change of any
   * definition is seen by the next request.
   */
  readonly #apis = new LruCache<string, Api>(KEPT_SCHEMAS);

  constructor(options: GraphqlOptions = {}) {
    const { limits, roles = {}, trusted, fieldPermissions, hideDenied = false, report, warn } = options;
    this.#report = report;
    this.#warn = warn;
    this.#roles = roles;
    this.#hideDenied = hideDenied;
    this.#trusted = new TrustedDocuments(trusted);
    this.#limits = { ...DEFAULT_GRAPHQL_LIMITS, ...limits };
    this.#anywhere = new Allowances(this.#limits, roles, {});
    this.#guardedByDefault = fieldPermissions === 'none';
  }

  /**
   * Runs a request with the rights of the session. Requests that come together share their `spending`.
   * @throws TesseraError when it can't be run at all: `graphql_not_configured`, `graphql_limit`, …
   */
  async answer(session: Session, request: GraphqlRequest, spending = this.spending(session)): Promise<Outcome> {
    const api = await this.#api(session);
    const allowance = api.allowances.of(session.identity);
    const text = this.#trusted.textOf(request);
    const prepared = api.documents.prepare(text, request.operationName, allowance, request.only);
    if (!prepared.ok) return { failures: prepared.failures };
    const variables = readVariables(api.schema, prepared.operation, request.variables, allowance);
    if (!variables.ok) return { failures: variables.failures };
    const call = new Call(variables.values, allowance, spending);
    const roots = await this.#run(operationOf(api, prepared), call, session);
    return { roots, failures: call.failures.map(({ error, nodes, path }) => this.#failure(error, nodes, path)) };
  }

  async #run(operation: Operation, call: Call, session: Session): Promise<RootResult[]> {
    const compiled = operation.compiled(call.variables);
    try {
      call.checkBudgets();
      return operation.node.operation === OperationTypeNode.QUERY
        ? await runQuery(compiled, call, session)
        : await runMutation(compiled, call, session, session);
    } catch (thrown) {
      throw thrown instanceof BudgetExceeded ? thrown.error : thrown;
    }
  }

  /** What somebody may ask for at any database. */
  allowance({ identity }: Session): Allowance {
    return this.#anywhere.of(identity);
  }

  /** What one request, or several together, may spend. */
  spending(session: Session): Spending {
    return new Spending(this.allowance(session));
  }

  #failure(...[error, nodes, path]: Parameters<typeof fieldFailure>): GraphqlFailure {
    if (error.code === 'internal') this.#report?.(error);
    return fieldFailure(error, nodes, path);
  }

  /**
   * The schema as text, as the session may see it.
   * @throws TesseraError `graphql_introspection_disabled`, `graphql_document_untrusted`, `graphql_not_configured`, …
   */
  async sdl(session: Session): Promise<string> {
    const api = await this.#api(session);
    if (this.#trusted.isClosed) throw failure('graphql_document_untrusted');
    const { introspectionForbiddenBy: setting } = api.allowances.of(session.identity);
    if (setting !== undefined) throw failure('graphql_introspection_disabled', { setting });
    api.sdl ??= printSchema(api.schema);
    return api.sdl;
  }

  async #api(session: Session): Promise<Api> {
    const catalog = await session.catalog();
    const config = catalog?.configs.get('graphql')?.config;
    if (catalog === undefined || config?.kind !== 'graphql' || config.tables.kind === 'none') {
      throw failure('graphql_not_configured');
    }
    const hidesDenied = this.#hideDenied && session.identity.principal.kind !== 'system';
    const key = `${catalog.stamp} ${hidesDenied}`;
    let api = this.#apis.get(key);
    if (api === undefined) {
      const tables = exposedTables(catalog, config).filter((table) => !hidesDenied || !isDenied(table));
      if (tables.length === 0) throw failure('graphql_no_tables');
      const { schema, warnings } = buildSchema(tables, { guardedByDefault: this.#guardedByDefault, hidesDenied });
      const place = `${catalog.namespace.name}/${catalog.database.name}`;
      for (const warning of warnings) this.#warn?.(`In the GraphQL schema of ${place}, ${warning}`);
      api = {
        schema,
        documents: new Documents(schema),
        operations: new WeakMap(),
        allowances: new Allowances(this.#limits, this.#roles, config),
      };
      this.#apis.set(key, api);
    }
    return api;
  }
}

function operationOf({ schema, operations }: Api, { document, operation }: PreparedOperation): Operation {
  let known = operations.get(operation);
  if (known === undefined) {
    known = new Operation(schema, document, operation);
    operations.set(operation, known);
  }
  return known;
}
