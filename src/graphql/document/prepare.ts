/**
 * From a text to an operation that may run: read, reckoned and validated. What is known about a text is kept with its
 * schema, and what it costs with it: the next who sends it may have other limits.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  validate,
} from 'graphql';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { failure } from '../../errors/error.js';
import type { EffectiveLimits } from '../base/effective-limits.js';
import { failureOf, type GraphqlFailure, thrownFailure } from '../base/errors.js';
import { INTROSPECTION_LIMITS } from '../base/limits.js';
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

// The cost of an operation, computed from the document alone, before it is validated or run. Fragments count wherever
// they are spread, so that a few of them that spread each other can't unfold into millions of fields.

interface Cost {
  /** Levels of fields within each other. */
  readonly depth: number;
  readonly complexity: number;
  readonly aliases: number;
  readonly directives: number;
  /** Lists of types and fields, as introspection names them, and how many of them lie within each other. */
  readonly lists: number;
  readonly nestedLists: number;
}

interface OperationCost {
  /** Of the fields that read records. */
  readonly data: Cost;
  /** Of `__schema` and `__type`. */
  readonly introspection: Cost;
  /** Fields on the first level, as they are in the answer: those of one name are one. */
  readonly rootFields: number;
}

type CostOfSelections = Omit<OperationCost, 'rootFields'>;

const NOTHING: Cost = { depth: 0, complexity: 0, aliases: 0, directives: 0, lists: 0, nestedLists: 0 };
const INTROSPECTED_LISTS: ReadonlySet<string> = new Set([
  'types',
  'fields',
  'inputFields',
  'interfaces',
  'possibleTypes',
]);

/** @throws TesseraError `graphql_fragment_cycle` */
function costOf(document: DocumentNode, operation: OperationDefinitionNode): OperationCost {
  return new Reckoning(document).operation(operation);
}

class Reckoning {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** Computed costs; `undefined` while being computed. */
  readonly #costs = new Map<string, CostOfSelections | undefined>();

  constructor(document: DocumentNode) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  operation({ selectionSet, directives = [] }: OperationDefinitionNode): OperationCost {
    // Fragments that no operation spreads are walked by validation, too.
    for (const name of this.#fragments.keys()) this.#fragment(name);
    const cost = this.#selections(selectionSet);
    const rootFields = this.#names(selectionSet, new Set(), new Set()).size;
    return { ...cost, rootFields, data: beside(cost.data, { ...NOTHING, directives: directives.length }) };
  }

  #selections({ selections }: SelectionSetNode): CostOfSelections {
    let data = NOTHING;
    let introspection = NOTHING;
    for (const selection of selections) {
      const directives = selection.directives?.length ?? 0;
      if (selection.kind === Kind.FIELD) {
        const { name, alias, selectionSet } = selection;
        const below = selectionSet === undefined ? NOTHING : whole(this.#selections(selectionSet));
        const list = INTROSPECTED_LISTS.has(name.value) ? 1 : 0;
        const cost = {
          depth: below.depth + 1,
          complexity: below.complexity + 1,
          aliases: below.aliases + (alias === undefined ? 0 : 1),
          directives: below.directives + directives,
          lists: below.lists + list,
          nestedLists: below.nestedLists + list,
        };
        if (name.value === '__schema' || name.value === '__type') introspection = beside(introspection, cost);
        else data = beside(data, cost);
        continue;
      }
      const spread =
        selection.kind === Kind.INLINE_FRAGMENT
          ? this.#selections(selection.selectionSet)
          : this.#fragment(selection.name.value);
      data = beside(beside(data, spread.data), { ...NOTHING, directives });
      introspection = beside(introspection, spread.introspection);
    }
    return { data, introspection };
  }

  /** The names of fields on one level; each fragment is looked at once. */
  #names({ selections }: SelectionSetNode, names: Set<string>, seen: Set<string>): ReadonlySet<string> {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add((selection.alias ?? selection.name).value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) this.#names(selection.selectionSet, names, seen);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment !== undefined) this.#names(fragment.selectionSet, names, seen);
      }
    }
    return names;
  }

  #fragment(name: string): CostOfSelections {
    const known = this.#costs.get(name);
    if (known !== undefined) return known;
    if (this.#costs.has(name)) throw failure('graphql_fragment_cycle', { name });
    const fragment = this.#fragments.get(name);
    // Validation names the fragments that are missing.
    if (fragment === undefined) return { data: NOTHING, introspection: NOTHING };
    this.#costs.set(name, undefined);
    const cost = this.#selections(fragment.selectionSet);
    this.#costs.set(name, cost);
    return cost;
  }
}

function whole({ data, introspection }: CostOfSelections): Cost {
  return beside(data, introspection);
}

/** The cost of two parts on one level. */
function beside(a: Cost, b: Cost): Cost {
  return {
    depth: Math.max(a.depth, b.depth),
    complexity: a.complexity + b.complexity,
    aliases: a.aliases + b.aliases,
    directives: a.directives + b.directives,
    lists: a.lists + b.lists,
    nestedLists: Math.max(a.nestedLists, b.nestedLists),
  };
}
