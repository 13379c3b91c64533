/** Statements that change definitions. Names become identifiers here; types and expressions are SurrealQL that the user writes. */
import { type Definition, TABLE_KINDS } from './definitions.js';
import { identifier, textLiteral } from './surrealql.js';
import type { Action, Clause } from './table-parts.js';

/** A DEFINE statement, so that it replaces what is defined: `DEFINE TABLE OVERWRITE person`. */
export function overwriting(statement: string): string {
  return statement.replace(/^(DEFINE [A-Z]+) /, '$1 OVERWRITE ');
}

export function removal({ kind, name, table }: Definition): string {
  if (kind === 'FIELD') return `REMOVE FIELD ${name} ON TABLE ${identifier(table ?? '')}`;
  if (kind in TABLE_KINDS) return `REMOVE ${kind} ${identifier(name)} ON TABLE ${identifier(table ?? '')}`;
  if (kind === 'FUNCTION') return `REMOVE FUNCTION ${functionName(name)}`;
  if (kind === 'PARAM') return `REMOVE PARAM $${identifier(name)}`;
  if (kind === 'ACCESS') return `REMOVE ACCESS ${identifier(name)} ON DATABASE`;
  if (kind === 'API') return `REMOVE API ${textLiteral(name)}`;
  if (kind === 'CONFIG') return `REMOVE CONFIG ${name.toUpperCase()}`;
  return `REMOVE ${kind} ${identifier(name)}`;
}

function functionName(name: string): string {
  return ['fn', ...name.split('::').map(identifier)].join('::');
}

/** A path to a field, as one types it: dots lead into objects, `*` stands for the elements of an array. */
export function fieldPath(path: string): string {
  const parts = path.split('.').map((part) => part.trim());
  return parts.map((part) => (part === '*' ? part : identifier(part))).join('.');
}

/** The items of a list typed with commas. */
export function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** For each action FULL, NONE or a condition. */
export type Permissions<Actions extends string = Action> = Readonly<Partial<Record<Actions, string>>>;

/** PERMISSIONS with each clause and its actions, or FULL or NONE for all. */
export function permissions(clauses: Permissions<string>): string {
  const parts = Object.entries(clauses).map(([action, clause = 'NONE']) => {
    const isWord = /^(full|none)$/i.test(clause.trim());
    return { action, code: isWord ? clause.trim().toUpperCase() : `WHERE ${clause.trim()}` };
  });
  const codes = [...new Set(parts.map(({ code }) => code))];
  // A condition has to say what for.
  if (codes.length === 1 && !codes[0]?.startsWith('WHERE')) return `PERMISSIONS ${codes[0]}`;
  const actionsOf = (code: string) => parts.filter((part) => part.code === code).map(({ action }) => action);
  return `PERMISSIONS ${codes.map((code) => `FOR ${actionsOf(code).join(', ')} ${code}`).join(', ')}`;
}

/** A clause as it is typed: FULL, NONE or a condition. */
export function clauseText(clause: Clause): string {
  if (typeof clause === 'string') return clause;
  return clause ? 'FULL' : 'NONE';
}

/** Joins the parts that are present with blanks. */
export function joined(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join(' ');
}

function clause(word: string, text: string): string | false {
  return text.trim() !== '' && `${word} ${text.trim()}`;
}

/** The clause of a comment, if there is one. */
export function commented(comment: string): string | false {
  return comment !== '' && `COMMENT ${textLiteral(comment)}`;
}

export interface TableChoice {
  readonly name: string;
  readonly kind: 'NORMAL' | 'RELATION' | 'ANY';
  /** Of a relation: the tables that it leads from and to, with commas between. */
  readonly from: string;
  readonly to: string;
  /** Of a relation: whether the records at both ends have to be there. */
  readonly isEnforced: boolean;
  readonly isSchemafull: boolean;
  readonly comment: string;
  readonly permissions: Permissions;
}

export function defineTable(choice: TableChoice): string {
  return joined(
    `DEFINE TABLE ${identifier(choice.name)} ${tableType(choice)}`,
    choice.isSchemafull ? 'SCHEMAFULL' : 'SCHEMALESS',
    commented(choice.comment),
    permissions(choice.permissions),
  );
}

/** The clause of what a table holds. */
export function tableType({ kind, from, to, isEnforced }: TableChoice): string {
  if (kind !== 'RELATION') return `TYPE ${kind}`;
  const tables = (text: string) => listed(text).map(identifier).join(' | ');
  return joined('TYPE RELATION', clause('IN', tables(from)), clause('OUT', tables(to)), isEnforced && 'ENFORCED');
}

export interface FieldChoice {
  readonly path: string;
  readonly type: string;
  readonly defaultValue: string;
  /** Whether the default also takes the place of NONE in rows that are there. */
  readonly isAlwaysDefault: boolean;
  readonly value: string;
  readonly assert: string;
  readonly isReadonly: boolean;
  readonly comment: string;
  readonly permissions: Permissions;
}

export function defineField(table: string, choice: FieldChoice): string {
  return joined(
    `DEFINE FIELD ${fieldPath(choice.path)} ON TABLE ${identifier(table)}`,
    clause('TYPE', choice.type),
    defaultClause(choice),
    choice.isReadonly && 'READONLY',
    clause('VALUE', choice.value),
    clause('ASSERT', choice.assert),
    commented(choice.comment),
    permissions(choice.permissions),
  );
}

/** The clause of the default, if there is one. */
export function defaultClause({ defaultValue, isAlwaysDefault }: FieldChoice): string | false {
  return clause(isAlwaysDefault ? 'DEFAULT ALWAYS' : 'DEFAULT', defaultValue);
}

export interface IndexChoice {
  readonly name: string;
  /** Paths with commas between. */
  readonly fields: string;
  readonly kind: 'plain' | 'unique' | 'fulltext' | 'hnsw' | 'count';
  readonly analyzer: string;
  /** The number of components of vectors. */
  readonly dimension: string;
  /** Builds it in the background. */
  readonly isConcurrent: boolean;
}

export function defineIndex(table: string, choice: IndexChoice): string {
  const { name, fields, kind, isConcurrent } = choice;
  return joined(
    `DEFINE INDEX ${identifier(name)} ON TABLE ${identifier(table)}`,
    kind !== 'count' && `FIELDS ${listed(fields).map(fieldPath).join(', ')}`,
    INDEX_CLAUSES[kind](choice),
    isConcurrent && 'CONCURRENTLY',
  );
}

const INDEX_CLAUSES: Readonly<Record<IndexChoice['kind'], (choice: IndexChoice) => string | false>> = {
  plain: () => false,
  unique: () => 'UNIQUE',
  fulltext: ({ analyzer }) => `FULLTEXT ANALYZER ${identifier(analyzer)} BM25`,
  hnsw: ({ dimension }) => `HNSW DIMENSION ${Number.parseInt(dimension, 10) || 0}`,
  count: () => 'COUNT',
};
