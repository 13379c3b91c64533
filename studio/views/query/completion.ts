/** What the editor offers while one types: keywords, functions, tables and fields, those of other users' tables left out by the server. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { NAMES } from '../../../src/language/function-names.js';
import { KEYWORDS } from '../../../src/language/keywords.js';
import { loadFields, loadTables } from '../../connection/catalog.js';
import type { Connection } from '../../connection/connection.js';
import { identifier } from '../../connection/surrealql.js';

const WORDS: readonly Completion[] = [
  ...[...KEYWORDS].map((label) => ({ label, type: 'keyword' })),
  ...NAMES.map((label) => ({ label, type: 'function' })),
];

/** Tables whose fields are read. */
const MOST_TABLES = 50;

/** The tables and fields of the database, which come before words of the language: fields first. Users who may see no definitions get tables; guests who may not query get nothing. */
export async function loadNames(connection: Connection): Promise<readonly Completion[]> {
  try {
    const tables = await loadTables(connection);
    const fields = await Promise.all(tables.slice(0, MOST_TABLES).map(({ name }) => loadFields(connection, name)));
    const names = new Set(fields.flat().map(({ name }) => name));
    return [
      ...tables.map(({ name }) => ({
        label: name,
        apply: identifier(name),
        type: 'class',
        detail: 'table',
        boost: 40,
      })),
      ...[...names].map((name) => ({ label: name, type: 'property', detail: 'field', boost: 50 })),
    ];
  } catch {
    return [];
  }
}

/** Completes the word before the cursor; `names` are those of the database. */
export function complete(names: () => readonly Completion[]): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const word = context.matchBefore(/[\w:]+/);
    if (word === null && !context.explicit) return null;
    return { from: word?.from ?? context.pos, options: [...names(), ...WORDS], validFor: /^[\w:]*$/ };
  };
}
