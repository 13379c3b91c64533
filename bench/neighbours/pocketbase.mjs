// PocketBase, from the command `pocketbase` or the one of `--pocketbase`. A released one commits without a flush (`synchronous = NORMAL`); one that
// is built as records/neighbours.md says, flushes each commit where PB_SYNCHRONOUS is FULL.
import { execFileSync } from 'node:child_process';
import { freePort } from '../harness/command.mjs';
import { askOnce, CHECKS, get, jsonOf, patch, post } from './answers.mjs';
import { newNote, newTitle, ownNote, TAGS, tagName, USERS, userName, userOf } from './notes.mjs';
import { startProcess, versionOf } from './processes.mjs';

const ADMIN = { identity: 'admin@example.com', password: 'a long password' };
/** What the build of records/neighbours.md adds to its version. */
const HAS_FULL = '(PB_SYNCHRONOUS)';
/** Requests in one of a bulk. */
const BATCH = 1_000;
const HEALTH = get('/api/health');

// Ids are of fifteen characters.
const idOf = (kind, number) => `${kind}${String(number).padStart(15 - kind.length, '0')}`;
const own = 'owner = @request.auth.id';
const text = (name) => ({ name, type: 'text', max: 5_000 });
const COLLECTIONS = [
  { name: 'tags', type: 'base', listRule: '', viewRule: '', fields: [text('name')] },
  {
    name: 'notes',
    type: 'base',
    listRule: own,
    viewRule: own,
    createRule: own,
    updateRule: own,
    deleteRule: own,
    fields: (ids) => [
      { name: 'owner', type: 'relation', collectionId: ids.users, maxSelect: 1, required: true, cascadeDelete: true },
      text('title'),
      text('body'),
      { name: 'done', type: 'bool' },
      { name: 'created', type: 'date' },
      { name: 'tags', type: 'relation', collectionId: ids.tags, maxSelect: 10 },
    ],
    indexes: ['CREATE INDEX idx_notes_list ON notes (owner, done, created)'],
  },
];

async function signedIn(port) {
  const { token } = await askOnce(port, post('/api/collections/_superusers/auth-with-password', undefined, ADMIN));
  return token;
}

async function define(port) {
  const admin = await signedIn(port);
  const ask = (bytes) => askOnce(port, bytes);
  await ask(
    patch('/api/settings', admin, {
      batch: { enabled: true, maxRequests: BATCH, timeout: 60 },
      // The log of requests: the other systems keep none.
      logs: { maxDays: 0 },
    }),
  );
  const users = await ask(get('/api/collections/users', admin));
  // Hashes of passwords aren't measured.
  const fields = users.fields.map((field) => (field.name === 'password' ? { ...field, cost: 4 } : field));
  await ask(patch('/api/collections/users', admin, { fields }));
  const ids = { users: users.id };
  for (const { fields, ...collection } of COLLECTIONS) {
    const made = { ...collection, fields: typeof fields === 'function' ? fields(ids) : fields };
    ids[collection.name] = (await ask(post('/api/collections', admin, made))).id;
  }
  const password = 'a long password';
  const rows = [
    ...Array.from({ length: TAGS }, (_, tag) => ['tags', { id: idOf('t', tag), name: tagName(tag) }]),
    ...Array.from({ length: USERS }, (_, user) => [
      'users',
      {
        id: idOf('u', user),
        name: userName(user),
        email: `user${user}@example.com`,
        password,
        passwordConfirm: password,
      },
    ]),
  ];
  await ask(post('/api/batch', admin, batchOf(rows)));
  const tokens = [];
  for (let user = 0; user < USERS; user++) {
    const path = `/api/collections/users/impersonate/${idOf('u', user)}`;
    tokens.push((await ask(post(path, admin, { duration: 43_200 }))).token);
  }
  return tokens;
}

const batchOf = (rows) => ({
  requests: rows.map(([collection, body]) => ({ method: 'POST', url: `/api/collections/${collection}/records`, body })),
});
const row = ({ number, owner, tags, ...note }) => ({
  ...note,
  id: idOf('n', number),
  owner: idOf('u', owner),
  tags: tags.map((tag) => idOf('t', tag)),
});

function bulkOf(notes) {
  const batches = [];
  for (let from = 0; from < notes.length; from += BATCH) {
    batches.push(batchOf(notes.slice(from, from + BATCH).map((each) => ['notes', row(each)])));
  }
  return batches;
}

async function bulk(port, batches) {
  const admin = await signedIn(port);
  for (const batch of batches) await askOnce(port, post('/api/batch', admin, batch));
}

async function count(port) {
  const admin = await signedIn(port);
  return (await askOnce(port, get('/api/collections/notes/records?perPage=1', admin))).totalItems;
}

function works(tokens) {
  const path = '/api/collections/notes/records';
  const list = `${path}?perPage=20&skipTotal=1&sort=-created&filter=${encodeURIComponent('done = false')}`;
  const of = (n) => `${path}/${idOf('n', ownNote(n).number)}`;
  const linked = ({ body, expand }) => ({ body, owner: expand.owner.name, tags: expand.tags.map(({ name }) => name) });
  const made = (n) => {
    const { title, body, done, created } = newNote(n);
    return { title, body, done, created, owner: idOf('u', userOf(n)) };
  };
  return {
    health: { request: () => HEALTH, check: jsonOf },
    read: { request: (n) => get(of(n), tokens[userOf(n)]), check: (answer, n) => CHECKS.read(jsonOf(answer), n) },
    list: { request: (n) => get(list, tokens[userOf(n)]), check: (answer, n) => CHECKS.list(jsonOf(answer).items, n) },
    // It has no GraphQL; this is how the same is asked for here.
    linked: {
      request: (n) => get(`${list}&expand=owner,tags`, tokens[userOf(n)]),
      check: (answer, n) => CHECKS.linked(jsonOf(answer).items.map(linked), n),
    },
    create: {
      request: (n) => post(path, tokens[userOf(n)], made(n)),
      check: (answer, n) => CHECKS.create(jsonOf(answer), n),
    },
    update: {
      request: (n) => patch(of(n), tokens[userOf(n)], { title: newTitle(n) }),
      check: (answer, n) => CHECKS.update(jsonOf(answer), n),
    },
  };
}

/** @returns {import('./systems.mjs').System} */
function pocketBase(title, env) {
  let command = 'pocketbase';
  const run = (folder, ...args) => [...args, '--dir', `${folder}/data`];
  return {
    title,
    use: (options) => {
      command = options.pocketbase ?? command;
    },
    lacks: () => {
      const version = versionOf(command);
      if (version === undefined) return `there is no command '${command}'; records/neighbours.md says how to build it`;
      const isMissing = env.PB_SYNCHRONOUS !== undefined && !version.includes(HAS_FULL);
      return isMissing
        ? 'this PocketBase can’t flush each commit; records/neighbours.md says how to build one'
        : undefined;
    },
    version: () => versionOf(command),
    // Without a superuser it opens a browser when it starts.
    prepare: (folder) => {
      const args = run(folder, 'superuser', 'upsert', ADMIN.identity, ADMIN.password);
      execFileSync(command, args, { stdio: 'ignore' });
    },
    start: async (folder) => {
      const port = await freePort();
      const args = run(folder, 'serve', '--http', `127.0.0.1:${port}`);
      return startProcess({ command, args, env, port, question: HEALTH });
    },
    define,
    bulkOf,
    bulk,
    count,
    works,
  };
}

export const pocketBaseNormal = pocketBase('PocketBase', {});
export const pocketBaseFull = pocketBase('PocketBase, full', { PB_SYNCHRONOUS: 'FULL' });
