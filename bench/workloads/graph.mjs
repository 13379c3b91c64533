// Graph hops and links.
import { GRAPH, LIBRARY } from '../data/graph.mjs';
import { grouped } from '../harness/grouped.mjs';

const start = (n, rows) => (n * 7_919) % rows;
const who = (n, { rows, record }) => ({ who: record('person', start(n, rows)) });
const sorted = (all) => all.map((row) => row?.id ?? row).toSorted((a, b) => (a < b ? -1 : 1));

/** Edges by where they begin, as a program would keep them. */
function steps({ tables: { knows } }) {
  const from = grouped([...knows.values()], (edge) => edge.in);
  return (ids) => ids.flatMap((id) => (from.get(id) ?? []).map(({ out }) => out));
}

/** SQLite has edges of a relation under the index that such a table would be given. */
const indexedEdges = (text) => (opened, context) => {
  opened.db.exec('CREATE INDEX IF NOT EXISTS knows_in ON knows ("in", "out")');
  const statement = opened.db.prepare(text);
  return (n) => statement.all({ who: start(n, context.rows) });
};

/** @type {import('../harness/contract.mjs').Workload[]} */
export const GRAPH_WORK = [
  {
    name: 'two hops, 64 ends',
    data: GRAPH,
    variables: who,
    surrealql: 'RETURN $who->knows->person->knows->person',
    sql: indexedEdges('SELECT b.out AS id FROM knows a JOIN knows b ON b."in" = a.out WHERE a."in" = $who'),
    plain: (opened, { rows }) => {
      const step = steps(opened);
      return (n) => step(step([start(n, rows)]));
    },
    answer: sorted,
  },
  {
    name: 'three hops, names of 512 ends',
    data: GRAPH,
    variables: who,
    surrealql: 'RETURN $who->knows->person->knows->person->knows->person.name',
    sql: indexedEdges(
      `SELECT p.name AS id FROM knows a JOIN knows b ON b."in" = a.out JOIN knows c ON c."in" = b.out JOIN person p ON p.id = c.out
       WHERE a."in" = $who`,
    ),
    plain: (opened, { rows }) => {
      const step = steps(opened);
      const { person } = opened.tables;
      return (n) => step(step(step([start(n, rows)]))).map((id) => person.get(id).name);
    },
    answer: sorted,
  },
  {
    name: 'field of a link, 100 rows',
    data: LIBRARY,
    surrealql: 'SELECT title, author.name AS author FROM book LIMIT 100',
    sql: 'SELECT title, author.name AS author FROM book JOIN author ON author.id = book.author ORDER BY book.id LIMIT 100',
    plain: ({ tables: { book, author } }) => {
      const first = [...book.values()].slice(0, 100);
      return () => first.map((row) => ({ title: row.title, author: author.get(row.author).name }));
    },
  },
  {
    name: 'FETCH, 100 rows',
    data: LIBRARY,
    surrealql: 'SELECT * FROM book LIMIT 100 FETCH author',
    plain: ({ tables: { book, author } }) => {
      const first = [...book.values()].slice(0, 100);
      return () => first.map((row) => ({ ...row, author: author.get(row.author) }));
    },
  },
];
