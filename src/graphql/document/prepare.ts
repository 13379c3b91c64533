/** From a text to an operation that may run: read, reckoned and validated. What is known about a text is kept with its schema. */
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  validate,
} from 'graphql';
import { LruCache } from '../../base/lru-cache.js';
import { failure } from '../../errors/error.js';
import type { GraphqlConfig } from '../../language/ast.js';
import { failureOf, type GraphqlFailure, thrownFailure } from '../errors.js';
import { beyondLimit, type GraphqlLimits } from '../limits.js';
import { type Cost, costOf } from './cost.js';
import { parseDocument } from './parse.js';

export interface PreparedOperation {
  readonly ok: true;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

export type Prepared = PreparedOperation | { readonly ok: false; readonly failures: readonly GraphqlFailure[] };

const KEPT_DOCUMENTS = 500;
/** Longer texts are rarely sent twice. */
const LONGEST_KEPT = 10_000;
/** So many errors are told about one document. */
const MAX_ERRORS = 20;

/** The documents that a schema has met. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #config: GraphqlConfig;
  readonly #limits: GraphqlLimits;
  readonly #known = new LruCache<string, Prepared>(KEPT_DOCUMENTS);

  constructor(schema: GraphQLSchema, config: GraphqlConfig, limits: GraphqlLimits) {
    this.#schema = schema;
    this.#config = config;
    this.#limits = limits;
  }

  /** @throws TesseraError `graphql_query_only`, `graphql_limit`, `graphql_operation`, `graphql_fragment_cycle`, `graphql_introspection_disabled` */
  prepare(text: string, operationName: string | undefined, only?: 'query'): Prepared {
    const key = `${only ?? ''} ${operationName ?? ''}\n${text}`;
    let prepared = this.#known.get(key);
    if (prepared === undefined) {
      prepared = this.#prepare(text, operationName, only);
      if (key.length <= LONGEST_KEPT) this.#known.set(key, prepared);
    }
    return prepared;
  }

  #prepare(text: string, operationName: string | undefined, only: 'query' | undefined): Prepared {
    let document: DocumentNode;
    try {
      document = parseDocument(text, this.#limits);
    } catch (thrown) {
      return { ok: false, failures: [thrownFailure(thrown, 'graphql_syntax')] };
    }
    const operation = operationOf(document, operationName, only);
    this.#checkCost(document, operation);
    const hideSuggestions = this.#config.introspection === 'none';
    const errors = validate(this.#schema, document, undefined, { maxErrors: MAX_ERRORS, hideSuggestions });
    return errors.length === 0
      ? { ok: true, document, operation }
      : { ok: false, failures: errors.map((error) => failureOf(error, 'graphql_invalid')) };
  }

  #checkCost(document: DocumentNode, operation: OperationDefinitionNode): void {
    const { data, introspection } = costOf(document, operation);
    if (introspection.complexity > 0 && this.#config.introspection === 'none') {
      throw failure('graphql_introspection_disabled');
    }
    const { depth, complexity } = this.#config;
    this.#check('depth', data, depth, 'DEPTH of the GRAPHQL config');
    this.#check('complexity', data, complexity, 'COMPLEXITY of the GRAPHQL config');
    for (const name of ['depth', 'complexity'] as const) this.#check(name, introspection);
    for (const name of ['aliases', 'directives'] as const) {
      const limit = this.#limits[name];
      if (data[name] + introspection[name] > limit) throw beyondLimit(name, limit);
    }
  }

  #check(name: 'depth' | 'complexity', cost: Cost, configured?: number, setting?: string): void {
    const limit = configured ?? this.#limits[name];
    if (cost[name] > limit) throw beyondLimit(name, limit, configured === undefined ? undefined : setting);
  }
}

/** The operation to be run. @throws TesseraError `graphql_operation`, `graphql_query_only` */
function operationOf(
  document: DocumentNode,
  name: string | undefined,
  only: 'query' | undefined,
): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [first] = name === undefined ? operations : operations.filter((each) => each.name?.value === name);
  if (first === undefined) {
    const message = name === undefined ? 'The document has no operation' : `The document has no operation "${name}"`;
    throw failure('graphql_operation', { message });
  }
  if (name === undefined && operations.length > 1) {
    throw failure('graphql_operation', { message: 'Say in operationName which of the operations is to be run' });
  }
  if (only !== undefined && first.operation !== only) {
    throw failure('graphql_query_only', { operation: first.operation });
  }
  if (first.operation !== OperationTypeNode.QUERY) {
    throw failure('graphql_operation', { message: `A ${first.operation} is not supported: only queries are` });
  }
  return first;
}
