/**
 * From a text to an operation that may run: read, reckoned and validated. What is known about a text is kept with its
 * schema, and what it costs with it: the next who sends it may have other limits.
 */
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  Source,
  TokenKind,
  validate,
} from 'graphql';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { failure } from '../../errors/error.js';
import type { EffectiveLimits } from '../base/effective-limits.js';
import { failureOf, type GraphqlFailure, thrownFailure } from '../base/errors.js';
import { INTROSPECTION_LIMITS } from '../base/limits.js';
import { costOf, type OperationCost } from './cost.js';
import { redactedError } from './error-redaction.js';

export interface PreparedOperation {
  readonly ok: true;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

export type PreparedDocument = PreparedOperation | { readonly ok: false; readonly failures: readonly GraphqlFailure[] };

interface Known {
  readonly prepared: PreparedDocument;
  /** Absent for unreadable documents. */
  readonly cost?: DocumentCost;
}
type DocumentCost = TextCost & OperationCost;

/**
 * Characters of the documents cached per schema. Parsed documents take up to 250 times the size of their text, so that
 * their size rather than their number is limited.
 */
const KEPT_CHARACTERS = 100_000;
/** Overhead of an entry besides its text, in characters. */
const ENTRY_CHARACTERS = 100;
/** Longer texts are rarely sent twice. */
const LONGEST_KEPT = 10_000;
/** Maximum number of errors reported per document. */
const MAX_ERRORS = 20;

/** The documents that a schema has met. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #known = new TwoGenerationCache<string, Known>(KEPT_CHARACTERS, (key) => key.length + ENTRY_CHARACTERS);

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /**
   * @throws TesseraError `graphql_query_only`, `graphql_limit`, `graphql_operation`, `graphql_fragment_cycle`,
   * `graphql_introspection_disabled`
   */
  prepare(
    text: string,
    operationName: string | undefined,
    allowance: EffectiveLimits,
    only?: 'query',
  ): PreparedDocument {
    const hideSuggestions = allowance.introspectionForbiddenBy !== undefined;
    // The length keeps a text and a name from being taken for another pair.
    const name = operationName === undefined ? '' : ` ${operationName}`;
    const key = `${only ?? ''} ${hideSuggestions} ${text.length} ${text}${name}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#prepare(text, operationName, allowance, only);
      if (key.length <= LONGEST_KEPT) this.#known.set(key, known);
    } else if (known.cost !== undefined) {
      checkCost(known.cost, allowance);
    }
    return known.prepared;
  }

  #prepare(text: string, name: string | undefined, allowance: EffectiveLimits, only: 'query' | undefined): Known {
    const hideSuggestions = allowance.introspectionForbiddenBy !== undefined;
    let parsed: ParsedDocument;
    try {
      parsed = parseDocument(text, allowance);
    } catch (thrown) {
      return { prepared: { ok: false, failures: [thrownFailure(thrown, 'graphql_syntax')] } };
    }
    const { document } = parsed;
    const operation = operationOf(document, name, only);
    const cost = { ...parsed.cost, ...costOf(document, operation) };
    checkCost(cost, allowance);
    let errors: readonly GraphQLError[];
    try {
      errors = validate(this.#schema, document, undefined, { maxErrors: MAX_ERRORS, hideSuggestions });
    } catch (thrown) {
      // The library finds out which field a subscription has as if there were no variables, and throws if one decides.
      return { prepared: { ok: false, failures: [thrownFailure(thrown, 'graphql_invalid')] } };
    }
    if (errors.length === 0) return { cost, prepared: { ok: true, document, operation } };
    const redacted = errors.map((error) => redactedError(error, this.#schema, hideSuggestions));
    return { cost, prepared: { ok: false, failures: redacted.map((error) => failureOf(error, 'graphql_invalid')) } };
  }
}

const INTROSPECTION_LIMIT_NAMES = Object.keys(INTROSPECTION_LIMITS) as (keyof typeof INTROSPECTION_LIMITS)[];

function checkCost(cost: DocumentCost, { limits, introspectionForbiddenBy, beyond }: EffectiveLimits): void {
  const { data, introspection } = cost;
  for (const name of ['tokens', 'nesting'] as const) if (cost[name] > limits[name]) throw beyond(name);
  if (introspection.complexity > 0 && introspectionForbiddenBy !== undefined) {
    throw failure('graphql_introspection_disabled', { setting: introspectionForbiddenBy });
  }
  for (const name of ['depth', 'complexity'] as const) if (data[name] > limits[name]) throw beyond(name);
  for (const name of INTROSPECTION_LIMIT_NAMES) {
    const { most, what } = INTROSPECTION_LIMITS[name];
    if (introspection[name] > most) throw failure('graphql_limit', { what, limit: most, setting: 'fixed' });
  }
  for (const name of ['aliases', 'directives'] as const) {
    if (data[name] + introspection[name] > limits[name]) throw beyond(name);
  }
  if (cost.rootFields > limits.rootFields) throw beyond('rootFields');
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
  if (only !== undefined && first.operation === OperationTypeNode.MUTATION) {
    throw failure('graphql_query_only', { operation: first.operation });
  }
  return first;
}

// Reads documents within bounds: the library's parser descends as deep as the brackets go, so these are counted first.

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** Characters of a name, or of a number, at most: messages repeat them, and look for names like them. */
const LONGEST_WORD = 1_024;
const WORDS: ReadonlySet<string> = new Set([TokenKind.NAME, TokenKind.INT, TokenKind.FLOAT]);

/** The cost of reading a text. */
interface TextCost {
  readonly tokens: number;
  /** Brackets within each other. */
  readonly nesting: number;
}

interface ParsedDocument {
  readonly document: DocumentNode;
  readonly cost: TextCost;
}

/** @throws GraphQLError for a text that isn't GraphQL; TesseraError `graphql_limit` */
function parseDocument(text: string, { limits, beyond }: Pick<EffectiveLimits, 'limits' | 'beyond'>): ParsedDocument {
  const source = new Source(text);
  const lexer = new Lexer(source);
  let depth = 0;
  let tokens = 0;
  let nesting = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1;
    if (tokens > limits.tokens) throw beyond('tokens');
    if (token.end - token.start > LONGEST_WORD && WORDS.has(token.kind)) {
      throw failure('graphql_limit', { what: 'characters in a name or number', limit: LONGEST_WORD, setting: 'fixed' });
    }
    if (OPENING.has(token.kind)) depth += 1;
    else if (CLOSING.has(token.kind)) depth -= 1;
    if (depth > nesting) nesting = depth;
    if (nesting > limits.nesting) throw beyond('nesting');
  }
  return { document: parse(source), cost: { tokens, nesting } };
}
