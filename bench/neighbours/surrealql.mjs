// The same work in SurrealDB's language, for Tessera and for SurrealDB's own server: record users, and PERMISSIONS by the owner of a note.
// Reads and writes go to `POST /rpc`, as those of the JavaScript library over HTTP do.
import { postBytes } from '../harness/raw-client.mjs';
import { askOnce, CHECKS, get, jsonOf, post } from './answers.mjs';
import { newNote, newTitle, ownNote, TAGS, tagName, USERS, userName, userOf } from './notes.mjs';

export const ROOT = { user: 'root', pass: 'secret' };
const PLACE = { 'surreal-ns': 'bench', 'surreal-db': 'bench' };
const ROOT_HEADERS = {
  ...PLACE,
  accept: 'application/json',
  authorization: `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`,
};

const SCHEMA = `
  DEFINE TABLE user SCHEMAFULL PERMISSIONS FOR select WHERE id = $auth.id;
  DEFINE FIELD name ON user TYPE string;
  DEFINE INDEX user_name ON user FIELDS name UNIQUE;
  DEFINE TABLE tag SCHEMAFULL PERMISSIONS FOR select FULL;
  DEFINE FIELD name ON tag TYPE string;
  DEFINE TABLE note SCHEMAFULL PERMISSIONS FOR select, create, update, delete WHERE owner = $auth.id;
  DEFINE FIELD owner ON note TYPE record<user>;
  DEFINE FIELD title ON note TYPE string;
  DEFINE FIELD body ON note TYPE string;
  DEFINE FIELD done ON note TYPE bool;
  DEFINE FIELD created ON note TYPE datetime;
  DEFINE FIELD tags ON note TYPE array<record<tag>> DEFAULT [];
  DEFINE INDEX note_list ON note FIELDS owner, done, created;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name)
    DURATION FOR TOKEN 12h, FOR SESSION 12h;
  DEFINE CONFIG GRAPHQL AUTO;`;

async function run(port, text, headers = ROOT_HEADERS) {
  const answer = await askOnce(port, postBytes('/sql', headers, text));
  const failed = answer.find(({ status }) => status !== 'OK');
  if (failed !== undefined) throw new Error(JSON.stringify(failed));
  return answer;
}

export const HEALTH = get('/health');

/** Defines tables, users and tags; answers with a token for each user. */
export async function define(port) {
  await run(port, 'DEFINE NAMESPACE bench; USE NS bench; DEFINE DATABASE bench', {
    accept: 'application/json',
    authorization: ROOT_HEADERS.authorization,
  });
  const tags = Array.from({ length: TAGS }, (_, tag) => `{ id: tag:${tag}, name: '${tagName(tag)}' }`);
  const users = Array.from({ length: USERS }, (_, user) => `{ id: user:${user}, name: '${userName(user)}' }`);
  await run(port, `${SCHEMA} INSERT INTO tag [${tags}]; INSERT INTO user [${users}]`);
  const tokens = [];
  for (let user = 0; user < USERS; user++) {
    const { token } = await askOnce(
      port,
      post('/signin', undefined, { NS: 'bench', DB: 'bench', AC: 'account', name: userName(user) }),
    );
    tokens.push(token);
  }
  return tokens;
}

/** The JavaScript library, which the bench installs; `--help` is shown without it. */
const library = () => import('surrealdb');

/** How many rows a statement of a bulk has. */
const STATEMENT = 2_000;

/** Rows as the JavaScript library takes them: made before the clock runs. */
export async function bulkOf(notes) {
  const { DateTime, RecordId } = await library();
  const rows = notes.map(({ number, owner, created, tags, ...note }) => ({
    ...note,
    id: new RecordId('note', number),
    owner: new RecordId('user', owner),
    created: new DateTime(created),
    tags: tags.map((tag) => new RecordId('tag', tag)),
  }));
  const statements = [];
  for (let from = 0; from < rows.length; from += STATEMENT) statements.push(rows.slice(from, from + STATEMENT));
  return statements;
}

/** By the JavaScript library over HTTP: what costs Tessera least of the ways that there are. */
export async function bulk(port, statements) {
  const { Surreal } = await library();
  const db = new Surreal();
  await db.connect(`http://127.0.0.1:${port}`);
  await db.signin({ username: ROOT.user, password: ROOT.pass });
  await db.use({ namespace: 'bench', database: 'bench' });
  for (const rows of statements) await db.query('INSERT INTO note $rows RETURN NONE', { rows });
  await db.close();
}

/** How many notes there are, to see that a bulk has made them. */
export async function count(port) {
  const [{ result }] = await run(port, 'SELECT count() FROM note GROUP ALL');
  return result[0].count;
}

const LIST = 'SELECT * FROM note WHERE owner = $auth.id AND done = false ORDER BY created DESC LIMIT 20';
const CREATE = `CREATE ONLY note SET owner = $auth.id, title = $title, body = $body, done = $done, created = <datetime> $created`;
const UPDATE = `UPDATE ONLY type::record('note', $number) SET title = $title`;
const LINKED = `query ($owner: ID!) { note(filter: {owner: {eq: $owner}, done: {eq: false}}, order: {desc: created}, limit: 20)
  { id title body done created owner { name } tags { name } } }`;

function resultOf(answer) {
  const { error, result } = jsonOf(answer);
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result;
}
function rowsOf(answer) {
  const [{ status, result }] = resultOf(answer);
  if (status !== 'OK') throw new Error(String(result));
  return result;
}

export function works(tokens) {
  const rpc = (n, method, params) => post('/rpc', tokens[userOf(n)], { id: n, method, params });
  const made = (n) => {
    const { title, body, done, created } = newNote(n);
    return { title, body, done, created };
  };
  const changed = (n) => ({ number: ownNote(n).number, title: newTitle(n) });
  return {
    health: { request: () => HEALTH, check: (answer) => jsonOf(answer) },
    read: {
      request: (n) => rpc(n, 'select', [`note:${ownNote(n).number}`]),
      check: (answer, n) => CHECKS.read([resultOf(answer)].flat()[0], n),
    },
    list: {
      request: (n) => rpc(n, 'query', [LIST]),
      check: (answer, n) => CHECKS.list(rowsOf(answer), n),
    },
    linked: {
      request: (n) =>
        post(
          '/graphql',
          tokens[userOf(n)],
          { query: LINKED, variables: { owner: `user:${userOf(n)}` } },
          { accept: '*/*' },
        ),
      check: (answer, n) => {
        const { data, errors } = jsonOf(answer);
        if (errors !== undefined) throw new Error(JSON.stringify(errors));
        const named = ({ body, owner, tags }) => ({ body, owner: owner.name, tags: tags.map(({ name }) => name) });
        CHECKS.linked(data.note.map(named), n);
      },
    },
    create: {
      request: (n) => rpc(n, 'query', [CREATE, made(n)]),
      check: (answer, n) => CHECKS.create(rowsOf(answer), n),
    },
    update: {
      request: (n) => rpc(n, 'query', [UPDATE, changed(n)]),
      check: (answer, n) => CHECKS.update(rowsOf(answer), n),
    },
  };
}
