// Point work: one record, or a list of them, by id.
import { PEOPLE, peopleFrom, personOf } from '../data/people.mjs';

const BULK = 1_000;
const MANY = 100;
const CHANGED = 1_000;

const spread = (n, rows) => (n * 7_919) % rows;
const fieldsOf = ({ id, ...fields }) => fields;

/** Rows of a table that each repetition uses up: so many that rounds stay short. */
const MOST_WRITES = 2_000;
/** What stands in an array comes back in an array from every target. */
const one = (row) => (row === undefined ? [] : [row]);

/** @type {import('../harness/contract.mjs').Workload[]} */
export const RECORDS = [
  {
    name: 'read by id',
    data: PEOPLE,
    variables: (n, { rows, record }) => ({ who: record('person', spread(n, rows)) }),
    surrealql: 'SELECT * FROM $who',
    sql: 'SELECT * FROM person WHERE id = $who',
    lmdb:
      ({ tables: { person } }, { rows }) =>
      (n) =>
        one(person.get(spread(n, rows))),
    plain:
      ({ tables: { person } }, { rows }) =>
      (n) =>
        one(person.get(spread(n, rows))),
  },
  {
    name: 'read 100 by id',
    data: PEOPLE,
    variables: (n, { rows, record }) => ({ who: manyOf(n, rows).map((id) => record('person', id)) }),
    surrealql: 'SELECT * FROM $who',
    sql: ({ db }, { rows }) => {
      const statement = db.prepare('SELECT * FROM person WHERE id = ?');
      return (n) => manyOf(n, rows).map((id) => statement.get(id));
    },
    lmdb:
      ({ tables: { person } }, { rows }) =>
      (n) =>
        manyOf(n, rows).map((id) => person.get(id)),
    plain:
      ({ tables: { person } }, { rows }) =>
      (n) =>
        manyOf(n, rows).map((id) => person.get(id)),
  },
  {
    name: 'create',
    data: PEOPLE,
    most: MOST_WRITES,
    variables: (n, { record }) => ({ who: record('made', n), fields: fieldsOf(personOf(n)) }),
    surrealql: 'CREATE $who CONTENT $fields',
    sql: ({ insertion, bindable }) => {
      const statement = insertion('made', 'RETURNING *');
      return (n) => [statement.get(bindable(personOf(n)))];
    },
    lmdb:
      ({ tables: { made } }) =>
      (n) => {
        const row = personOf(n);
        return made.put(n, row).then(() => [row]);
      },
    plain:
      ({ tables: { made } }) =>
      (n) => {
        const row = personOf(n);
        made.set(n, row);
        return [row];
      },
    after: ({ clear }) => clear('made'),
  },
  {
    name: 'insert 1,000, for each',
    data: PEOPLE,
    per: BULK,
    most: 5,
    variables: (n) => ({ rows: peopleFrom(n * BULK, BULK) }),
    surrealql: 'INSERT INTO made $rows RETURN NONE',
    sql: inBulk,
    lmdb: inBulk,
    plain: inBulk,
    after: ({ clear }) => clear('made'),
  },
  {
    name: 'update',
    data: PEOPLE,
    variables: (n, { record }) => ({ who: record('changed', n % CHANGED), score: n }),
    surrealql: 'UPDATE $who SET score = $score',
    sql: 'UPDATE changed SET score = $score WHERE id = $who RETURNING *',
    lmdb:
      ({ tables: { changed } }) =>
      (n) => {
        const row = { ...changed.get(n % CHANGED), score: n };
        return changed.put(row.id, row).then(() => [row]);
      },
    plain:
      ({ tables: { changed } }) =>
      (n) => {
        const row = { ...changed.get(n % CHANGED), score: n };
        changed.set(row.id, row);
        return [row];
      },
    most: MOST_WRITES,
  },
  {
    name: 'delete',
    data: PEOPLE,
    most: MOST_WRITES,
    variables: (n, { record }) => ({ who: record('gone', n) }),
    before: ({ load }, from, count) => load('gone', peopleFrom(from, count)),
    surrealql: 'DELETE $who RETURN BEFORE',
    sql: 'DELETE FROM gone WHERE id = $who RETURNING *',
    lmdb:
      ({ tables: { gone } }) =>
      (n) => {
        const row = gone.get(n);
        return gone.remove(n).then(() => [row]);
      },
    plain:
      ({ tables: { gone } }) =>
      (n) => {
        const row = gone.get(n);
        gone.delete(n);
        return [row];
      },
  },
  {
    name: 'create, 64 at once',
    data: PEOPLE,
    atOnce: 64,
    most: MOST_WRITES,
    variables: (n, { record }) => ({ who: record('made', n), fields: fieldsOf(personOf(n)) }),
    surrealql: 'CREATE $who CONTENT $fields RETURN NONE',
    // Puts of one turn of the event loop are one transaction.
    lmdb:
      ({ tables: { made } }) =>
      (n) =>
        made.put(n, personOf(n)).then(() => []),
    after: ({ clear }) => clear('made'),
  },
];

function manyOf(n, rows) {
  return Array.from({ length: Math.min(MANY, rows) }, (_, at) => spread(n + at, rows));
}

function inBulk({ load }) {
  return (n) => {
    const loaded = load('made', peopleFrom(n * BULK, BULK));
    return typeof loaded?.then === 'function' ? loaded.then(() => []) : [];
  };
}
