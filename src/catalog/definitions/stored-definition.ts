/**
 * The stored form of definitions: the canonical text of the DEFINE statement, secrets included, and the engine's
 * properties.
 *
 *     { text: 'DEFINE TABLE person TYPE ANY SCHEMALESS PERMISSIONS NONE', id: 7, stamp: 'q1f…' }
 *
 * Text is independent of the syntax tree, which a release may change while it still reads every store. Parsed texts are
 * cached, since most reloads read unchanged texts; definitions are immutable.
 */
import { invariant } from '../../base/invariant.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { DefineStatement, Statement } from '../../language/ast.js';
import { parseStatement } from '../../language/parse.js';
import { printStatement } from '../../language/print.js';
import type { Stored } from '../../storage/contract.js';
import { isObject, newObject, type ObjectValue, type Value } from '../../value/value.js';
import type {
  AccessDefinition,
  AnalyzerDefinition,
  ApiDefinition,
  BucketDefinition,
  ConfigDefinition,
  DatabaseDefinition,
  EventDefinition,
  FieldDefinition,
  FunctionDefinition,
  IndexDefinition,
  NamespaceDefinition,
  ParamDefinition,
  SequenceDefinition,
  TableDefinition,
  UserDefinition,
} from './definition.js';

export type Definition =
  | NamespaceDefinition
  | DatabaseDefinition
  | TableDefinition
  | FieldDefinition
  | IndexDefinition
  | EventDefinition
  | ParamDefinition
  | FunctionDefinition
  | UserDefinition
  | AccessDefinition
  | ApiDefinition
  | ConfigDefinition
  | AnalyzerDefinition
  | SequenceDefinition
  | BucketDefinition;
export type DefinitionKind = Definition['kind'];
export type DefinitionOf<K extends DefinitionKind> = Extract<Definition, { readonly kind: K }>;

/** The properties of each definition that its text doesn't contain. */
const BESIDE_THE_TEXT: { readonly [K in DefinitionKind]: readonly (keyof DefinitionOf<K> & string)[] } = {
  'define-namespace': ['id'],
  'define-database': ['id'],
  'define-table': ['id', 'hasUsers', 'madeAt', 'watch'],
  'define-field': [],
  'define-index': ['id', 'state'],
  'define-event': [],
  'define-param': ['value'],
  'define-function': [],
  'define-user': ['secret', 'incarnation'],
  'define-access': ['secret'],
  'define-api': [],
  'define-config': [],
  'define-analyzer': [],
  'define-sequence': ['identity'],
  'define-bucket': ['identity', 'linkKey'],
};

/** The stored form of a definition, without a schema version. */
export function storeDefinition(definition: Definition): ObjectValue {
  const row = newObject();
  const text = printStatement(textPart(definition), { secrets: true });
  // Parsing it at once ensures that the definition can be loaded.
  parsed(text);
  row['text'] = text;
  for (const name of BESIDE_THE_TEXT[definition.kind]) {
    const value = definition[name as keyof Definition] as Value;
    if (value !== undefined) row[name] = value;
  }
  return row;
}

/** The definition stored by `storeDefinition`; the key determines its kind. */
export function readDefinition<K extends DefinitionKind>(kind: K, stored: Stored): DefinitionOf<K> {
  return ofKind(kind, readAnyDefinition(stored));
}

/** The same for a row that was just made, without a lookup in the cache of rows. */
export function definitionIn<K extends DefinitionKind>(kind: K, row: ObjectValue): DefinitionOf<K> {
  return ofKind(kind, readRow(row));
}

function ofKind<K extends DefinitionKind>(kind: K, definition: Definition): DefinitionOf<K> {
  invariant(definition.kind === kind, `a stored definition is a ${definition.kind} where a ${kind} belongs`);
  return definition as DefinitionOf<K>;
}

/** The definition in a stored row, of whatever kind. The same row gives the same object while the engine caches it. */
export function readAnyDefinition(stored: Stored): Definition {
  const row = rowOf(stored);
  let definition = definitions.get(row);
  if (definition === undefined) {
    definition = readRow(row);
    definitions.set(row, definition);
  }
  return definition;
}

/** By row: engines return the same object as long as they cache it. */
const definitions = new WeakMap<ObjectValue, Definition>();

function readRow(row: ObjectValue): Definition {
  const text = row['text'];
  invariant(typeof text === 'string', 'a stored definition has a text');
  const statement = parsed(text);
  const beside = BESIDE_THE_TEXT[statement.kind as DefinitionKind];
  invariant(beside !== undefined, 'a stored definition is a DEFINE statement');
  if (beside.length === 0) return statement as Definition;
  const definition: Record<string, unknown> = { ...statement };
  for (const name of beside) definition[name] = row[name];
  return definition as unknown as Definition;
}

/** A stored definition as an object. A definition of another kind is a bug, not bad data. */
export function rowOf(stored: Stored): ObjectValue {
  invariant(isObject(stored), 'a stored definition is an object');
  return stored;
}

/** The schema version in the row of a database or table. */
export function stampOf(stored: Stored): string {
  const { stamp } = rowOf(stored);
  invariant(typeof stamp === 'string', 'databases and tables have a stamp');
  return stamp;
}

/** The statement that defines `definition`, for printing. */
export function statementOf(definition: Definition): DefineStatement {
  if (definition.kind !== 'define-param') return definition;
  return { ...definition, value: { kind: 'literal', value: definition.value } };
}

/** The part of a definition that its text contains: everything but the value of a param, which may have no literal. */
function textPart(definition: Definition): Statement {
  return definition.kind === 'define-param'
    ? { ...definition, value: { kind: 'literal', value: undefined } }
    : definition;
}

// Stored texts were accepted before; their limits are higher than a client's, since the canonical form may have more
// parentheses.
const STORED_TEXT = { depth: 512, height: 4_000 };
/** Estimated bytes of a tree per character of text, with a fixed number of characters added per text. */
const TREE_BYTES_PER_CHARACTER = 32;
const TREE_OVERHEAD = 64;
/** Bytes of cached trees; at most twice as many are kept. */
const KEPT_TREES = 16 * 2 ** 20;
const statements = new TwoGenerationCache<string, Statement>(
  KEPT_TREES,
  (text) => (text.length + TREE_OVERHEAD) * TREE_BYTES_PER_CHARACTER,
);

function parsed(text: string): Statement {
  let statement = statements.get(text);
  if (statement === undefined) {
    statement = parseStatement(text, STORED_TEXT);
    statements.set(text, statement);
  }
  return statement;
}
