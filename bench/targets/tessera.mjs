// Tessera through its own interface, in memory and on disk.
import { tessera } from '../harness/build.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';
import { openSurrealql } from './surrealql.mjs';

const PLACE = { NS: 'bench', DB: 'bench' };

async function openTessera(address, dataset, rows, asked = (db) => db) {
  const { RecordId, Tessera } = await tessera('embedded/index');
  const db = await Tessera.open(address);
  await db.use(PLACE.NS, PLACE.DB);
  const record = (table, id) => new RecordId(table, id);
  const opened = await openSurrealql({ query: (text, variables) => db.query(text, variables), record }, dataset, rows);
  const session = await asked(db);
  return {
    ...opened,
    statement: (text, variables) => (n) => session.query(text, variables(n)),
    live: (table, hear) => session.live(`LIVE SELECT * FROM ${table}`, ({ result }) => hear(result)),
    signIn: async (access, variables) => (await session.signIn({ ...PLACE, AC: access, ...variables })).access,
    authenticate: (token) => session.authenticate(token),
    close: () => db.close(),
  };
}

async function openOnDisk(dataset, rows) {
  const folder = temporaryFolder();
  const opened = await openTessera(folder.path, dataset, rows);
  return {
    ...opened,
    folder: folder.path,
    close: async () => {
      await opened.close();
      folder.remove();
    },
  };
}

/** With `another(rows)`, which opens the same with other rows, and `also(closable)`: what is closed together with it. */
async function besideOthers(open, rows) {
  const opened = await open(rows);
  const others = [];
  const also = (closable) => {
    others.push(closable);
    return closable;
  };
  return {
    ...opened,
    also,
    another: async (count) => also(await open(count)),
    close: async () => {
      for (const each of [opened, ...others]) await each.close();
    },
  };
}

/** A record user: the dataset has an access method `user` that any client may sign up with. */
async function signedUp(db) {
  const user = db.session();
  await user.use(PLACE.NS, PLACE.DB);
  await user.signUp({ ...PLACE, AC: 'user' });
  return user;
}

/** @type {import('../harness/contract.mjs').Target[]} */
export const TESSERA = [
  {
    name: 'tessera:memory',
    title: 'Tessera',
    speaks: 'surrealql',
    keeps: 'nothing',
    open: (dataset, rows) => besideOthers((count) => openTessera('memory', dataset, count), rows),
  },
  {
    name: 'tessera:record-user',
    title: 'record user',
    speaks: 'asUser',
    keeps: 'nothing',
    open: (dataset, rows) => openTessera('memory', dataset, rows, signedUp),
  },
  {
    name: 'tessera:lmdb',
    title: 'Tessera on disk',
    speaks: 'surrealql',
    keeps: 'a crash of the machine: fsync before the answer',
    open: (dataset, rows) => besideOthers((count) => openOnDisk(dataset, count), rows),
  },
];
