/** What the user who is signed in is called. */
import type { RecordId } from 'surrealdb';
import type { Connection } from '../connection/connection.js';
import type { SignedIn } from '../session/session.js';

/** Fields that users of apps are known by, as far as they may see their own. */
const NAMES = ['name', 'username', 'email'] as const;

type Own = Readonly<Partial<Record<(typeof NAMES)[number], unknown>>> & { readonly id: RecordId | null };

/** Of a record user the record's name or address, or its id; `undefined` where the session says it. */
export async function userName({ level }: SignedIn, connection: Connection | undefined): Promise<string | undefined> {
  if (level !== 'record' || connection === undefined || connection.viewed !== undefined) return undefined;
  const fields = NAMES.map((name) => `${name}: $auth.${name}`).join(', ');
  const [own] = await connection.query<[Own]>(`RETURN { id: $auth, ${fields} }`);
  const name = NAMES.map((field) => own[field]).find((value) => typeof value === 'string' && value !== '');
  return typeof name === 'string' ? name : own.id?.toString();
}
