/** Completions of the typed text: keywords, functions, tables, fields, variables and meta commands. */
import { CONSTANTS } from '../../functions/constants.js';
import { FUNCTIONS } from '../../functions/registry.js';
import { ENGINE_PARAMS } from '../../language/engine-params.js';
import { escapeName } from '../../value/text/quote.js';
import type { NameLists } from './schema-names.js';

/** The form of readline: the candidates, and the end of the line that they replace. */
export type Completion = readonly [candidates: string[], word: string];

/** Where names come from. */
export interface NameSource {
  names(): Promise<NameLists>;
  fields(table: string): Promise<readonly string[]>;
}

/** The keywords that begin statements and clauses; the grammar has more, which aren't worth completing. */
const KEYWORDS = (
  'ACCESS ALTER ANALYZER AND AS ASC ASSERT BEGIN BY CANCEL CHANGES COLUMNS COMMENT COMMIT COMPUTED CONFIG CONTAINS CONTAINSALL CONTAINSANY ' +
  'CONTAINSNONE CONTENT CREATE DATABASE DB DEFAULT DEFINE DELETE DESC DIFF DUPLICATE DURATION ELSE EVENT EXISTS EXPLAIN FETCH FIELD FIELDS ' +
  'FLEXIBLE FOR FROM FULL FUNCTION GRANT GRAPHQL GROUP HNSW IF IN INDEX INFO INSERT INSIDE INTO IS KEY KILL LET LIMIT LIVE MERGE NAMESPACE NONE ' +
  'NOT NS NULL ON ONLY OR ORDER OUTSIDE OVERWRITE PARALLEL PARAM PATCH PERMISSIONS READONLY REBUILD RELATE RELATION REMOVE REPLACE RETURN ROLES ' +
  'ROOT SCHEMAFULL SCHEMALESS SELECT SEQUENCE SESSION SET SHOW SIGNIN SIGNUP SINCE SLEEP SPLIT START STRUCTURE TABLE THEN THROW TIMEOUT TO ' +
  'TRANSACTION TYPE UNIQUE UNSET UPDATE UPSERT USE USER VALUE VALUES WHEN WHERE WITH'
).split(' ');

const CALLS = [...new Set([...FUNCTIONS.map(({ name }) => `${name}(`), ...CONSTANTS.map(({ name }) => name)])];

/** Keywords followed by a table. */
const BEFORE_TABLE =
  /(?:\b(?:from|into|update|upsert|create|delete|table|only|on|relate|remove table)\s+|->|<-|,\s*)$/i;
/** The tables of a statement, by the keywords before them. */
const TABLES_IN = /\b(?:from|into|update|upsert|create|delete|table|on)\s+(?:only\s+|table\s+)*([a-z_]\w*)/gi;
/** Tables whose fields are looked up for one completion. */
const MOST_TABLES = 20;
/** The word being typed, with its prefix. */
const WORD = /(?:\\\w*|\$\w*|[\w:.]*)$/;

/**
 * Candidates for the end of `line`. `before` holds the lines above it of the same statement.
 *
 *     await complete('SELECT * FROM per', '', catalog, [], []) // [['person'], 'per']
 */
export async function complete(
  line: string,
  before: string,
  source: NameSource,
  variables: Iterable<string>,
  commands: readonly string[],
): Promise<Completion> {
  const word = WORD.exec(line)?.[0] ?? '';
  const ahead = line.slice(0, line.length - word.length);
  if (line.startsWith('\\')) {
    if (ahead === '') return offer(commands, word);
    return offer((await source.names()).tables.map(escapeName), word);
  }
  const { tables, functions, params, others } = await source.names();
  if (word.startsWith('$')) {
    return offer(
      [...variables, ...params, ...ENGINE_PARAMS].map((name) => `$${name}`),
      word,
    );
  }
  if (word.includes('::')) return offer([...functions.map((name) => `${name}(`), ...CALLS], word);
  const statement = `${before}\n${ahead}`;
  if (BEFORE_TABLE.test(statement) && !/,\s*$/.test(statement)) return offer(tables.map(escapeName), word);
  if (word === '') return [[], word];
  const named = [
    ...new Set([...statement.matchAll(TABLES_IN), ...line.matchAll(TABLES_IN)].map(([, name = '']) => name)),
  ];
  // Fields come before the table that they are of, so that it may not be known yet.
  const owners = (named.length > 0 ? named : tables).slice(0, MOST_TABLES);
  const fields = await Promise.all(owners.map((table) => source.fields(table)));
  const families = [
    ...new Set(CALLS.filter((name) => name.includes('::')).map((name) => `${name.split('::', 1)[0]}::`)),
  ];
  const plain = CALLS.filter((name) => !name.includes('::'));
  return offer(
    [
      ...fields.flat(),
      ...tables.map(escapeName),
      ...others.map(escapeName),
      ...keywordsLike(word),
      ...families,
      ...plain,
    ],
    word,
  );
}

/** Keywords in the case that was begun. */
function keywordsLike(word: string): readonly string[] {
  return word === word.toUpperCase() ? KEYWORDS : KEYWORDS.map((keyword) => keyword.toLowerCase());
}

function offer(candidates: Iterable<string>, word: string): Completion {
  const lower = word.toLowerCase();
  const fitting = [...candidates].filter((candidate) => candidate.toLowerCase().startsWith(lower));
  return [[...new Set(fitting)].sort(), word];
}
