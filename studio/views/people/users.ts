/** System users: what INFO shows of them, and the statements that change them. */
import { Duration } from 'surrealdb';
import type { Connection } from '../../connection/connection.js';
import { identifier, textLiteral } from '../../connection/surrealql.js';
import { type DefinitionLevel, KEYWORD, levelsOf } from './levels.js';

export const ROLES = { VIEWER: 'Viewer', EDITOR: 'Editor', OWNER: 'Owner' } as const;
export type Role = keyof typeof ROLES;

/** How long what it gives out lasts. None: without end. */
export interface Durations {
  readonly token?: Duration | null;
  readonly session?: Duration | null;
  readonly grant?: Duration | null;
}

export interface SystemUser {
  readonly level: DefinitionLevel;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly duration: Durations;
  readonly comment?: string;
}

/** What a form says of a user. */
export interface UserEntries {
  readonly name: string;
  readonly level: DefinitionLevel;
  /** Empty: the password stays as it is. */
  readonly password: string;
  readonly role: Role;
  /** Empty: without end. */
  readonly token: string;
  readonly session: string;
}

/** The users of the levels that the session may see. @throws Error if INFO is refused */
export async function loadUsers(connection: Connection): Promise<readonly SystemUser[]> {
  const levels = levelsOf(connection.session);
  const infos = await connection.query<{ readonly users: readonly Omit<SystemUser, 'level'>[] }[]>(
    levels.map((level) => `INFO FOR ${KEYWORD[level]} STRUCTURE`).join('; '),
  );
  return infos.flatMap(({ users }, at) => users.map((user) => ({ ...user, level: levels[at] as DefinitionLevel })));
}

/** DEFINE USER. @throws Error if a duration can't be read */
export function defineUser({ name, level, password, role, token, session }: UserEntries): string {
  const head = `DEFINE USER ${identifier(name)} ON ${KEYWORD[level]} PASSWORD ${textLiteral(password)}`;
  return `${head} ROLES ${role} ${durationsClause(token, session)}`;
}

/** ALTER USER, which leaves the password as it is where none is given. @throws Error if a duration can't be read */
export function alterUser({ name, level, password, role, token, session }: UserEntries): string {
  const head = `ALTER USER ${identifier(name)} ON ${KEYWORD[level]}`;
  const clauses = `ROLES ${role} ${durationsClause(token, session)}`;
  return password === '' ? `${head} ${clauses}` : `${head} PASSWORD ${textLiteral(password)} ${clauses}`;
}

export function removeUser({ name, level }: Pick<SystemUser, 'name' | 'level'>): string {
  return `REMOVE USER ${identifier(name)} ON ${KEYWORD[level]}`;
}

function durationsClause(token: string, session: string): string {
  return `DURATION FOR TOKEN ${durationText(token)}, FOR SESSION ${durationText(session)}`;
}

/** A duration that was typed, as SurrealQL. */
function durationText(typed: string): string {
  const text = typed.trim();
  if (text === '') return 'NONE';
  try {
    return new Duration(text).toString();
  } catch {
    throw new Error(`“${text}” is no duration. Write it like 30m, 12h or 7d, or leave it empty.`);
  }
}
