/** As whom a program signs in: a record user by an access method, or a system user of the database. */
import { usersTableOf } from '../people/users-table.js';

export type Caller =
  | {
      readonly kind: 'record';
      readonly access: string;
      /** Where the users are; empty where the clauses name no table. */
      readonly table: string;
      /** What the SIGNIN clause reads; none where one signs in by another way, or with a token alone. */
      readonly variables: readonly string[];
      readonly hasRefresh: boolean;
    }
  | { readonly kind: 'system'; readonly role: 'viewer' | 'editor' };

/** What counts here of an access method. */
interface Access {
  readonly level: string;
  readonly name: string;
  readonly kind: {
    readonly kind: string;
    readonly signup?: string;
    readonly signin?: string;
    readonly refresh?: boolean;
  };
}

/** The server gives these their values. */
const OWN = new Set(['auth', 'token', 'session', 'access', 'this', 'parent', 'value', 'before', 'after', 'event']);

/** Record users of each access method of the database, then system users: by what the choice is called. */
export function callersOf(accesses: readonly Access[]): ReadonlyMap<string, Caller> {
  const records = accesses.flatMap(({ name, level, kind }): [string, Caller][] => {
    if (level !== 'database' || kind.kind !== 'RECORD') return [];
    const variables = variablesOf(kind.signin ?? '');
    const caller = { access: name, table: usersTableOf(kind), variables, hasRefresh: kind.refresh === true };
    return [[`Record users of ${name}`, { kind: 'record', ...caller }]];
  });
  return new Map<string, Caller>([
    ...records,
    ['A viewer of the database', { kind: 'system', role: 'viewer' }],
    ['An editor of the database', { kind: 'system', role: 'editor' }],
  ]);
}

/** The variables that a clause takes from outside, in its order. */
function variablesOf(clause: string): readonly string[] {
  const names = (pattern: RegExp) => [...clause.matchAll(pattern)].map(([, name = '']) => name);
  const inner = new Set(names(/\b(?:LET|FOR)\s+\$(\w+)/gi));
  return [...new Set(names(/\$(\w+)/g))].filter((name) => !OWN.has(name) && !inner.has(name));
}
