const byOwner = (table) => `DEFINE TABLE OVERWRITE ${table} SCHEMALESS PERMISSIONS FOR select WHERE owner = $auth`;

/** Documents of two users, of which the first has 1 in 100; half of `doc` is public. Rules say who may see what. */
const owned = (count, record, every = 100) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    title: `doc ${id}`,
    n: id,
    public: id % 2 === 0,
    owner: record('user', id % every === 0 ? 0 : 1),
  }));
const columns = ['title', 'n', 'public', 'owner'];

/** @type {import('../harness/contract.mjs').Dataset} */
export const DOCUMENTS = {
  name: 'documents',
  tables: {
    doc: { columns, rows: (count, record) => owned(count, record) },
    mine: { columns, indexes: ['owner'], rows: (count, record) => owned(count, record) },
    few: { columns, indexes: ['owner'], rows: (count, record) => owned(Math.min(count, 10_000), record, 1_000) },
  },
  surrealql: `
    DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth;
    DEFINE TABLE OVERWRITE doc SCHEMALESS PERMISSIONS FOR select WHERE owner = $auth OR public;
    ${byOwner('mine')};
    ${byOwner('few')};
    DEFINE ACCESS user ON DATABASE TYPE RECORD SIGNUP (CREATE ONLY user:0 SET name = 'Ada') SIGNIN (SELECT * FROM user:0)`,
};
