/** Access methods and their grants: what INFO and ACCESS show of them, and the statements that change grants. */
import type { DateTime, RecordId } from 'surrealdb';
import type { Connection } from '../../connection/connection.js';
import { identifier } from '../../connection/surrealql.js';
import { type DefinitionLevel, KEYWORD, levelsOf } from './levels.js';
import type { Durations } from './users.js';

/** How tokens of an access method are verified, and signed. Keys are never shown. */
export interface TokenSettings {
  readonly verify: { readonly alg?: string; readonly url?: string };
  readonly issuer?: { readonly alg: string };
  readonly require?: { readonly issuer: readonly string[]; readonly audience: readonly string[] };
}

export type AccessKind =
  | {
      readonly kind: 'JWT';
      readonly jwt: TokenSettings;
      /** Of one by which system users sign in at a provider. */
      readonly roles?: string;
    }
  | { readonly kind: 'BEARER'; readonly jwt: TokenSettings; readonly subject: 'USER' | 'RECORD' }
  | {
      readonly kind: 'RECORD';
      readonly jwt: TokenSettings;
      readonly refresh?: boolean;
      readonly signin?: string;
      readonly signup?: string;
    };

export interface AccessMethod {
  readonly level: DefinitionLevel;
  readonly name: string;
  readonly kind: AccessKind;
  readonly duration: Durations;
  readonly authenticate?: string;
  readonly comment?: string;
}

export interface Grant {
  readonly id: string;
  readonly subject: { readonly user?: string; readonly record?: RecordId };
  readonly creation: DateTime;
  readonly expiration?: DateTime | null;
  readonly revocation?: DateTime | null;
  /** The key is only in the answer to GRANT. */
  readonly grant: { readonly key?: string };
}

/** The access methods of the levels that the session may see. @throws Error if INFO is refused */
export async function loadAccesses(connection: Connection): Promise<readonly AccessMethod[]> {
  const levels = levelsOf(connection.session);
  const infos = await connection.query<{ readonly accesses: readonly Omit<AccessMethod, 'level'>[] }[]>(
    levels.map((level) => `INFO FOR ${KEYWORD[level]} STRUCTURE`).join('; '),
  );
  return infos.flatMap(({ accesses }, at) => accesses.map((one) => ({ ...one, level: levels[at] as DefinitionLevel })));
}

type Named = Pick<AccessMethod, 'name' | 'level'>;

function head({ name, level }: Named): string {
  return `ACCESS ${identifier(name)} ON ${KEYWORD[level]}`;
}

/** Grants without their keys. @throws Error if they may not be seen */
export async function loadGrants(connection: Connection, access: Named): Promise<readonly Grant[]> {
  const [grants] = await connection.query<[readonly Grant[]]>(`${head(access)} SHOW ALL`);
  return grants;
}

/**
 * Grants a key for a user by name, or for a record by the text of its id. The answer has the key, for the only time.
 * @throws Error if there is no such user or record, or the session may not grant
 */
export async function grantTo(connection: Connection, access: AccessMethod, subject: string): Promise<Grant> {
  const of = access.kind.kind === 'BEARER' && access.kind.subject === 'RECORD' ? 'RECORD' : 'USER';
  const target = of === 'USER' ? identifier(subject) : (await recordOf(connection, subject)).toString();
  const [grant] = await connection.query<[Grant]>(`${head(access)} GRANT FOR ${of} ${target}`);
  return grant;
}

/** The server reads the text, so that nothing else in it gets into a statement. */
async function recordOf(connection: Connection, text: string): Promise<RecordId> {
  const [record] = await connection.query<[RecordId]>('RETURN type::record($text)', { text });
  return record;
}

/** REVOKE: the key is no longer taken, and the sessions that it has opened end. */
export function revokeGrant(access: Named, { id }: Pick<Grant, 'id'>): string {
  return `${head(access)} REVOKE GRANT ${identifier(id)}`;
}
