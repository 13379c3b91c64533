/** Answers GraphQL requests of sessions, whatever the transport. */
import { OperationTypeNode } from 'graphql';
import { failure, type TesseraError } from '../errors/error.js';
import type { Session } from '../session/contract.js';
import { Duration } from '../value/value.js';
import { type Allowance, Allowances, type RulesOfRoles } from './allowance.js';
import { Apis } from './api.js';
import { TrustedDocuments, type TrustedOptions } from './document/trusted.js';
import { readVariables } from './document/variables.js';
import { fieldFailure, type GraphqlFailure } from './errors.js';
import { BudgetExceeded, Spending } from './execution/budget.js';
import { Call } from './execution/call.js';
import type { CompiledOperation, Operation } from './execution/operation.js';
import { type RootResult, runMutation, runQuery } from './execution/run.js';
import { DEFAULT_GRAPHQL_LIMITS, type GraphqlLimits } from './limits.js';
import type { GraphqlRequest } from './request.js';

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

export class GraphqlService {
  readonly #anywhere: Allowances;
  readonly #trusted: TrustedDocuments;
  readonly #report: GraphqlOptions['report'];
  readonly #apis: Apis;

  constructor(options: GraphqlOptions = {}) {
    const { roles = {}, trusted, fieldPermissions, hideDenied = false, report, warn } = options;
    const limits = { ...DEFAULT_GRAPHQL_LIMITS, ...options.limits };
    this.#report = report;
    this.#trusted = new TrustedDocuments(trusted);
    this.#anywhere = new Allowances(limits, roles, {});
    this.#apis = new Apis({ limits, roles, guardedByDefault: fieldPermissions === 'none', hideDenied, warn });
  }

  /**
   * Runs a request with the rights of the session. Requests that come together share their `spending`.
   * @throws TesseraError when it can't be run at all: `graphql_not_configured`, `graphql_limit`, …
   */
  async answer(session: Session, request: GraphqlRequest, spending = this.spending(session)): Promise<Outcome> {
    const api = await this.#apis.of(session);
    const allowance = api.allowances.of(session.identity);
    const text = this.#trusted.textOf(request);
    const prepared = api.documents.prepare(text, request.operationName, allowance, request.only);
    if (!prepared.ok) return { failures: prepared.failures };
    const variables = readVariables(api.schema, prepared.operation, request.variables, allowance);
    if (!variables.ok) return { failures: variables.failures };
    const deadline = session.deadline(new Duration(BigInt(allowance.limits.time) * 1_000_000n));
    const call = new Call(variables.values, allowance, spending, deadline);
    const roots = await this.#run(api.operation(prepared), call, session);
    return { roots, failures: call.failures.map(({ error, nodes, path }) => this.#failure(error, nodes, path)) };
  }

  async #run(operation: Operation, call: Call, session: Session): Promise<RootResult[]> {
    const compiled = operation.compiled(call.variables);
    try {
      call.checkBudgets();
      return operation.node.operation === OperationTypeNode.QUERY
        ? await runInSnapshot(compiled, call, session)
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
    const api = await this.#apis.of(session);
    if (this.#trusted.isClosed) throw failure('graphql_document_untrusted');
    const { introspectionForbiddenBy: setting } = api.allowances.of(session.identity);
    if (setting !== undefined) throw failure('graphql_introspection_disabled', { setting });
    return api.sdl;
  }
}

/** A query reads one state of the database, however many statements it takes. */
async function runInSnapshot(compiled: CompiledOperation, call: Call, session: Session): Promise<RootResult[]> {
  if (!compiled.hasFetches && compiled.roots.length === 1) return runQuery(compiled, call, session);
  const snapshot = await session.begin({ writable: false });
  try {
    return await runQuery(compiled, call, snapshot);
  } finally {
    snapshot.cancel();
  }
}
