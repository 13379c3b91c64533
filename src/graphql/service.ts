/** Answers GraphQL requests of sessions, whatever the transport. */
import { execute, type GraphQLSchema } from 'graphql';
import { LruCache } from '../base/lru-cache.js';
import type { DatabaseCatalog } from '../catalog/database-catalog.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { Session } from '../session/contract.js';
import { Documents } from './document/prepare.js';
import { TrustedDocuments, type TrustedOptions } from './document/trusted.js';
import { failureOf, type GraphqlFailure } from './errors.js';
import { Budget } from './execution/budget.js';
import type { Call } from './execution/call.js';
import { Loader } from './execution/loader.js';
import { Conditions, Params } from './execution/select.js';
import { Selections } from './execution/selection.js';
import { DEFAULT_GRAPHQL_LIMITS, type GraphqlLimits } from './limits.js';
import type { GraphqlRequest } from './request.js';
import { buildSchema, exposedTables } from './schema/build.js';

export interface GraphqlOptions {
  readonly limits?: Partial<GraphqlLimits>;
  /** Documents that are known by id. */
  readonly trusted?: TrustedOptions;
  /** Whether fields without PERMISSIONS are hidden from record users (`--field-permissions none`). */
  readonly fieldPermissions?: 'inherit' | 'none';
  /** Takes errors of our own making, for the log. */
  readonly report?: (error: TesseraError) => void;
}

export interface Outcome {
  /** Absent when nothing was run; null when nothing of it is left. */
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly failures: readonly GraphqlFailure[];
  /** How long the statement of each root field took, in nanoseconds. */
  readonly times: ReadonlyMap<string | number, bigint>;
}

interface Api {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly hidesNames: boolean;
}

const KEPT_SCHEMAS = 64;
const NO_TIMES: ReadonlyMap<string, bigint> = new Map();

export class GraphqlService {
  readonly #limits: GraphqlLimits;
  readonly #trusted: TrustedDocuments;
  readonly #guardedByDefault: boolean;
  readonly #report: GraphqlOptions['report'];
  /** By the state of the definitions they were made from: a change of any definition is seen by the next request. */
  readonly #apis = new LruCache<string, Api>(KEPT_SCHEMAS);

  constructor({ limits, trusted, fieldPermissions, report }: GraphqlOptions = {}) {
    this.#report = report;
    this.#trusted = new TrustedDocuments(trusted);
    this.#limits = { ...DEFAULT_GRAPHQL_LIMITS, ...limits };
    this.#guardedByDefault = fieldPermissions === 'none';
  }

  /**
   * Runs a request with the rights of the session.
   * @throws TesseraError when it can't be run at all: `graphql_not_configured`, `graphql_limit`, …
   */
  async answer(session: Session, request: GraphqlRequest): Promise<Outcome> {
    const { schema, documents, hidesNames } = this.#api(await session.catalog());
    const prepared = documents.prepare(this.#trusted.textOf(request), request.operationName);
    if (!prepared.ok) return { failures: prepared.failures, times: NO_TIMES };
    const params = new Params();
    const budget = new Budget(this.#limits.values);
    const call: Call = {
      loader: new Loader(session, budget, params),
      budget,
      selections: new Selections(),
      conditions: new Conditions(params, this.#limits.conditions),
      edgePlans: new WeakMap(),
      times: new Map(),
    };
    const { data, errors } = await execute({
      schema,
      document: prepared.document,
      operationName: prepared.operation.name?.value ?? null,
      variableValues: request.variables ?? null,
      contextValue: call,
      hideSuggestions: hidesNames,
    });
    if (budget.exceeded !== undefined) throw budget.exceeded;
    // Without data, nothing was run: the variables didn't fit.
    const stage = data === undefined ? 'graphql_variables' : 'graphql_result';
    return {
      ...(data !== undefined && { data }),
      failures: (errors ?? []).map((error) => failureOf(error, stage, this.#report)),
      times: call.times,
    };
  }

  #api(catalog: DatabaseCatalog | undefined): Api {
    const config = catalog?.configs.get('graphql')?.config;
    if (catalog === undefined || config?.kind !== 'graphql' || config.tables.kind === 'none') {
      throw failure('graphql_not_configured');
    }
    let api = this.#apis.get(catalog.stamp);
    if (api === undefined) {
      const tables = exposedTables(catalog, config);
      if (tables.length === 0) throw failure('graphql_no_tables');
      const schema = buildSchema(tables, { guardedByDefault: this.#guardedByDefault });
      api = {
        schema,
        documents: new Documents(schema, config, this.#limits),
        hidesNames: config.introspection === 'none',
      };
      this.#apis.set(catalog.stamp, api);
    }
    return api;
  }
}
