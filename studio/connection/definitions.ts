/** What is defined in the database: as statements for reading and changing, and in parts for pictures and tables. */
import type { StatementSource } from './statement-source.js';
import { identifier } from './surrealql.js';
import type { FieldParts, IndexParts, TableParts } from './table-parts.js';

/** The kinds of definitions of a database that the Studio lists, by their words in SurrealQL, as INFO calls them. */
export const DATABASE_KINDS = {
  TABLE: 'tables',
  FUNCTION: 'functions',
  PARAM: 'params',
  ANALYZER: 'analyzers',
  ACCESS: 'accesses',
  SEQUENCE: 'sequences',
  BUCKET: 'buckets',
  API: 'apis',
  CONFIG: 'configs',
} as const;

/** Those of a table. */
export const TABLE_KINDS = { FIELD: 'fields', INDEX: 'indexes', EVENT: 'events' } as const;

export type DatabaseKind = keyof typeof DATABASE_KINDS;
export type TableKind = keyof typeof TABLE_KINDS;

export interface Definition {
  readonly kind: DatabaseKind | TableKind;
  /** As INFO names it: those of fields are paths in SurrealQL, all others are plain. */
  readonly name: string;
  /** The DEFINE statement. */
  readonly statement: string;
  /** The table that it belongs to. */
  readonly table?: string;
}

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** All definitions of the database, by kind. @throws Error for users who may not see them */
export async function loadDefinitions(connection: StatementSource): Promise<Record<DatabaseKind, Definition[]>> {
  const [texts] = await connection.query<[Texts]>('INFO FOR DB');
  return byKind(DATABASE_KINDS, texts);
}

/** All definitions of a table, by kind. @throws Error for users who may not see them, or without the table */
export async function loadTableDefinitions(
  connection: StatementSource,
  table: string,
): Promise<Record<TableKind, Definition[]>> {
  const [texts] = await connection.query<[Texts]>(`INFO FOR TABLE ${identifier(table)}`);
  return byKind(TABLE_KINDS, texts, table);
}

function byKind<Kind extends DatabaseKind | TableKind>(
  kinds: Readonly<Partial<Record<Kind, string>>>,
  texts: Texts,
  table?: string,
): Record<Kind, Definition[]> {
  const entries = (Object.entries(kinds) as [Kind, string][]).map(([kind, called]) => [
    kind,
    Object.entries(texts[called] ?? {}).map(([name, text]) => ({
      kind,
      name,
      // Of configurations INFO gives what stands behind these words.
      statement: kind === 'CONFIG' ? `DEFINE CONFIG ${text}` : text,
      ...(table !== undefined && { table }),
    })),
  ]);
  return Object.fromEntries(entries) as Record<Kind, Definition[]>;
}

/** The tables with their fields, in parts. @throws Error for users who may not see them */
export async function loadTableParts(connection: StatementSource): Promise<TableParts[]> {
  const [{ tables }] =
    await connection.query<[{ readonly tables: readonly Omit<TableParts, keyof WithinTable>[] }]>(
      'INFO FOR DB STRUCTURE',
    );
  if (tables.length === 0) return [];
  const statements = tables.map(({ name }) => `INFO FOR TABLE ${identifier(name)} STRUCTURE`);
  const parts = await connection.query<WithinTable[]>(statements.join(';'));
  return tables.map((table, at) => ({
    ...table,
    fields: parts[at]?.fields ?? [],
    indexes: parts[at]?.indexes ?? [],
    events: parts[at]?.events.map(({ name }) => name) ?? [],
  }));
}

/** What is defined in a table, in parts. @throws Error for users who may not see it, or without the table */
export async function loadTableContent(connection: StatementSource, table: string): Promise<WithinTable> {
  const [content] = await connection.query<[WithinTable]>(`INFO FOR TABLE ${identifier(table)} STRUCTURE`);
  return content;
}

interface WithinTable {
  readonly fields: readonly FieldParts[];
  readonly indexes: readonly IndexParts[];
  readonly events: readonly { readonly name: string }[];
}
