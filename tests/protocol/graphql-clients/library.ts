/** A library on a real server, for the usual clients of GraphQL: all users read the books, and readers keep notes that are theirs alone. */
import type { RunningServer } from '../../../src/server/server.js';
import { ROOT, startTestServer } from '../../support/server.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE reader SCHEMAFULL PERMISSIONS FOR select, update WHERE id = $auth;
  DEFINE FIELD name ON reader TYPE string;
  DEFINE FIELD password ON reader TYPE string PERMISSIONS NONE;
  DEFINE TABLE author SCHEMAFULL PERMISSIONS FOR select FULL;
  DEFINE FIELD name ON author TYPE string;
  DEFINE TABLE book SCHEMAFULL PERMISSIONS FOR select FULL;
  DEFINE FIELD title ON book TYPE string;
  DEFINE FIELD year ON book TYPE int;
  DEFINE FIELD author ON book TYPE record<author>;
  DEFINE TABLE note SCHEMAFULL PERMISSIONS FOR select, create, update, delete WHERE owner = $auth;
  DEFINE FIELD owner ON note TYPE record<reader> DEFAULT $auth READONLY;
  DEFINE FIELD book ON note TYPE record<book>;
  DEFINE FIELD text ON note TYPE string ASSERT string::len($value) <= 100;
  DEFINE ACCESS reader ON DATABASE TYPE RECORD
    SIGNUP (CREATE reader SET name = $name, password = crypto::argon2::generate($password))
    SIGNIN (SELECT * FROM reader WHERE name = $name AND crypto::argon2::compare(password, $password));
  CREATE author:le_guin SET name = 'Le Guin'; CREATE author:eco SET name = 'Eco';
  CREATE book:1 SET title = 'The Dispossessed', year = 1974, author = author:le_guin;
  CREATE book:2 SET title = 'The Name of the Rose', year = 1980, author = author:eco;
  CREATE book:3 SET title = 'The Lathe of Heaven', year = 1971, author = author:le_guin;
  CREATE book:4 SET title = 'Baudolino', year = 2000, author = author:eco;
  CREATE book:5 SET title = 'Tehanu', year = 1990, author = author:le_guin;`;

export const PLACE = { 'svc-ns': 'library', 'svc-db': 'library' } as const;

/** What every client is asked to query. */
export const BOOKS_QUERY = `
  query Books($filter: _filter_book, $limit: Int = 10) {
    book(filter: $filter, limit: $limit, order: { asc: year }) { ...Book author { id name } }
  }
  fragment Book on book { id title year }
`;

export interface Library {
  /** Of GraphQL over HTTP. */
  readonly url: string;
  /** The same over WebSockets. */
  readonly socketUrl: string;
  /** Signs a user up over HTTP; gives the headers of who has signed in. */
  signUp(name: string): Promise<Record<string, string>>;
  /** Runs statements as root. Gives their results. */
  run(text: string): Promise<unknown[]>;
  /** How many subscriptions look at the notes. */
  subscriptions(): Promise<number>;
  close(): Promise<unknown>;
}

/** Settings are given as environment variables. */
export async function openLibrary(environment: Readonly<Record<string, string>> = {}): Promise<Library> {
  const server: RunningServer = await startTestServer({
    SVC_EXPERIMENTAL_GRAPHQL: 'true',
    SVC_ALLOW_GUESTS: 'true',
    ...environment,
  });
  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
    return JSON.parse(text) as unknown;
  };
  const accept = 'application/json';
  const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
  const library: Library = {
    url: `${server.url}/graphql`,
    socketUrl: `${server.url.replace('http', 'ws')}/graphql`,
    async signUp(name) {
      const body = { NS: 'library', DB: 'library', AC: 'reader', name, password: passwordOf(name) };
      const { token } = (await post('/signup', { accept }, JSON.stringify(body))) as { token: string };
      return { ...PLACE, authorization: `Bearer ${token}` };
    },
    async run(text) {
      const entries = (await post('/sql', { ...PLACE, accept, authorization }, text)) as Record<string, unknown>[];
      return entries.map(({ status, result }) => {
        if (status !== 'OK') throw new Error(String(result));
        return result;
      });
    },
    async subscriptions() {
      const [lives] = await library.run('RETURN object::len((INFO FOR TABLE note).lives)');
      return Number(lives);
    },
    close: () => server.close(),
  };
  await library.run(SETUP);
  return library;
}

export function passwordOf(name: string): string {
  return `the password of ${name}`;
}
