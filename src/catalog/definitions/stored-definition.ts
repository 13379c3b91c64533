/**
 * Definitions at rest: the canonical text of the DEFINE statement, secrets included, beside what only the engine knows.
 *
 *     { text: 'DEFINE TABLE person TYPE ANY SCHEMALESS PERMISSIONS NONE', id: 7, stamp: 'q1f…' }
 *
 * Text outlives the syntax tree: a release may change the tree freely and still read every store. Reading a text means parsing it, so
 * what was parsed is remembered by its text; definitions are immutable, and most reloads meet texts that haven't changed.
 */
import { invariant } from '../../base/invariant.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { Statement } from '../../language/ast.js';
import { parseStatement } from '../../language/parse.js';
import { printStatement } from '../../language/print.js';
import type { Stored } from '../../storage/contract.js';
import { isObject, newObject, type ObjectValue, type Value } from '../../value/value.js';
import type {
  AccessDefinition,
  AnalyzerDefinition,
  ApiDefinition,
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
  | SequenceDefinition;
export type DefinitionKind = Definition['kind'];
export type DefinitionOf<K extends DefinitionKind> = Extract<Definition, { readonly kind: K }>;

/** What a definition has that its text doesn't say. */
const BESIDE_THE_TEXT: { readonly [K in DefinitionKind]: readonly (keyof DefinitionOf<K> & string)[] } = {
  'define-namespace': ['id'],
  'define-database': ['id'],
  'define-table': ['id', 'hasUsers', 'madeAt'],
  'define-field': [],
  'define-index': ['id', 'state'],
  'define-event': [],
  'define-param': ['value'],
  'define-function': [],
  'define-user': ['secret'],
  'define-access': ['secret'],
  'define-api': [],
  'define-config': [],
  'define-analyzer': [],
  'define-sequence': ['identity'],
};

/** The form in which a definition is stored, without the stamp that some rows carry. */
export function storeDefinition(definition: Definition): ObjectValue {
  const row = newObject();
  const text = printStatement(textPart(definition), { secrets: true });
  // Reading it back at once proves that the definition can be loaded, before anything depends on it.
  parsed(text);
  row['text'] = text;
  for (const name of BESIDE_THE_TEXT[definition.kind]) {
    const value = definition[name as keyof Definition] as Value;
    if (value !== undefined) row[name] = value;
  }
  return row;
}

/** The definition that `storeDefinition` stored; the caller knows its kind from the key. */
export function readDefinition<K extends DefinitionKind>(kind: K, stored: Stored): DefinitionOf<K> {
  const definition = readAnyDefinition(stored);
  invariant(definition.kind === kind, `a stored definition is a ${definition.kind} where a ${kind} belongs`);
  return definition as DefinitionOf<K>;
}

export function readAnyDefinition(stored: Stored): Definition {
  const row = rowOf(stored);
  let definition = definitions.get(row);
  if (definition === undefined) {
    definition = definitionIn(row);
    definitions.set(row, definition);
  }
  return definition;
}

/** By their rows: engines hand out the same one again as long as they hold it in memory. */
const definitions = new WeakMap<ObjectValue, Definition>();

function definitionIn(row: ObjectValue): Definition {
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

export function rowOf(stored: Stored): ObjectValue {
  invariant(isObject(stored), 'a stored definition is an object');
  return stored;
}

/** The stamp in the row of a database or a table. */
export function stampOf(stored: Stored): string {
  const { stamp } = rowOf(stored);
  invariant(typeof stamp === 'string', 'databases and tables have a stamp');
  return stamp;
}

/** The statement that defines `definition` anew, for printing. */
export function statementOf(definition: Definition): Statement {
  if (definition.kind !== 'define-param') return definition;
  return { ...definition, value: { kind: 'literal', value: definition.value } };
}

/** What the text says: all but the value of a param, which may be anything that can be computed, whether or not a literal can say it. */
function textPart(definition: Definition): Statement {
  return definition.kind === 'define-param'
    ? { ...definition, value: { kind: 'literal', value: undefined } }
    : definition;
}

// Stored texts were accepted once; they are read with more room than a client's, since the canonical form may have more brackets.
const STORED_TEXT = { depth: 512, height: 4_000 };
/** What trees of texts take, estimated: so many bytes a character, and for each text as if it had so many more. */
const TREE_BYTES_PER_CHARACTER = 32;
const TREE_OVERHEAD = 64;
/** Bytes of the trees used last; at most twice as many are kept. */
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
