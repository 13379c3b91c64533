/** An app of lists in the database of a test server, and sessions of its users. */
import type { Surreal } from 'surrealdb';
import { MemoryStorage, type TextStorage } from '../../collections/browser-store.js';
import { Session, type SessionOptions, type User } from '../../collections/session.js';
import type { RunningServer } from '../../src/server/server.js';
import { asRoot } from '../protocol/client-2/client.js';
import { newClient } from '../support/official-client.js';

export const PASSWORD = 'correct horse battery';

const DEFINITIONS = `
  DEFINE TABLE person SCHEMAFULL PERMISSIONS FOR select, update WHERE id = $auth;
  DEFINE FIELD email ON person TYPE string ASSERT string::is_email($value);
  DEFINE FIELD password ON person TYPE string PERMISSIONS NONE ASSERT string::len($value) > 7;
  DEFINE INDEX person_email ON person FIELDS email UNIQUE;
  DEFINE ACCESS account ON DATABASE TYPE RECORD
    SIGNUP (CREATE person SET email = $email, password = $password)
    SIGNIN (SELECT * FROM person WHERE email = $email AND password = $password)
    WITH REFRESH ERRORS DETAILED DURATION FOR GRANT 30d, FOR TOKEN 15m, FOR SESSION 12h;
  DEFINE TABLE task SCHEMAFULL PERMISSIONS FOR select, create, update, delete WHERE $auth != NONE;
  DEFINE FIELD text ON task TYPE string ASSERT string::len($value) < 20;
  DEFINE FIELD done ON task TYPE bool DEFAULT false;
  DEFINE TABLE receipt SCHEMAFULL PERMISSIONS FOR select, create, update WHERE owner = $auth;
  DEFINE FIELD last ON receipt TYPE int;
  DEFINE FIELD owner ON receipt TYPE record<person> DEFAULT $auth READONLY;`;

export interface Person extends User {
  readonly email: string;
}

/** Makes the database new, and returns its owner. */
export async function newApp(server: RunningServer): Promise<Surreal> {
  const owner = await asRoot(server, 'ws', 'tasks');
  await owner.query(DEFINITIONS);
  return owner;
}

/** A session that isn't started yet. */
export const newSession = (
  url: string,
  storage: TextStorage = new MemoryStorage(),
  options: Partial<SessionOptions> = {},
): Session<Person> =>
  new Session<Person>({
    url,
    namespace: 'test',
    database: 'tasks',
    access: 'account',
    client: newClient(),
    storage,
    ...options,
  });
