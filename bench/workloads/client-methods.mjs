// What programs ask through the methods of the official client rather than in texts of their own.
import { PEOPLE, peopleFrom, personOf } from '../data/people.mjs';

const MOST = 2_000;
const CHANGED = 1_000;
const CLIENTS = ['client:memory', 'surrealdb:memory', 'client:lmdb', 'surrealdb:disk'];

/** Answers as a text does: one for each statement. */
const method = (call) => (opened, context) => (n) => call(opened.client, n, context).then((result) => [result]);

const fieldsOf = ({ id, ...fields }) => fields;

/** @type {import('../harness/contract.mjs').Workload[]} */
export const CLIENT_METHODS = [
  {
    name: 'db.select of a record',
    data: PEOPLE,
    only: CLIENTS,
    surrealql: method((db, n, { rows, record }) => db.select(record('person', n % rows))),
  },
  {
    name: 'db.create',
    data: PEOPLE,
    only: CLIENTS,
    most: MOST,
    surrealql: method((db, n, { record }) => db.create(record('made', n)).content(fieldsOf(personOf(n)))),
    after: ({ clear }) => clear('made'),
  },
  {
    // As `Promise.all` of a list does it: requests of one connection, none of which waits for another.
    name: 'db.create, 64 unawaited',
    data: PEOPLE,
    only: CLIENTS,
    atOnce: 64,
    most: MOST,
    surrealql: method((db, n, { record }) => db.create(record('made', n)).content(fieldsOf(personOf(n)))),
    after: ({ clear }) => clear('made'),
  },
  {
    name: 'db.update, merged',
    data: PEOPLE,
    only: CLIENTS,
    most: MOST,
    surrealql: method((db, n, { record }) => db.update(record('changed', n % CHANGED)).merge({ score: n })),
  },
  {
    name: 'db.delete',
    data: PEOPLE,
    only: CLIENTS,
    most: MOST,
    before: ({ load }, from, count) => load('gone', peopleFrom(from, count)),
    surrealql: method((db, n, { record }) => db.delete(record('gone', n))),
  },
];
