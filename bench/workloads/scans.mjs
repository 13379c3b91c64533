// Whole tables: filtered, counted, grouped, ordered.
import { PEOPLE } from '../data/people.mjs';

/** Rows of LMDB are decoded one by one; no loop of its own can be quicker. */
const overAll = (find) => ({
  lmdb:
    ({ tables: { person } }) =>
    () =>
      find(person.getRange().map(({ value }) => value)),
  plain:
    ({ tables: { person } }) =>
    () =>
      find(person.values()),
});

/** @type {import('../harness/contract.mjs').Workload[]} */
export const SCANS = [
  {
    name: 'filtered count',
    data: PEOPLE,
    variables: () => ({ age: 50 }),
    surrealql: 'SELECT count() FROM person WHERE age > $age AND active GROUP ALL',
    sql: 'SELECT count(*) AS count FROM person WHERE age > $age AND active',
    ...overAll((people) => {
      let count = 0;
      for (const { age, active } of people) if (age > 50 && active) count++;
      return [{ count }];
    }),
    answer: ([row]) => row?.count ?? 0,
  },
  {
    name: 'count of all',
    data: PEOPLE,
    surrealql: 'SELECT count() FROM person GROUP ALL',
    sql: 'SELECT count(*) AS count FROM person',
    plain:
      ({ tables: { person } }) =>
      () => [{ count: person.size }],
  },
  {
    name: 'projection of 1 in 100',
    data: PEOPLE,
    variables: () => ({ age: 42 }),
    surrealql: 'SELECT name, city FROM person WHERE age = $age',
    sql: 'SELECT name, city FROM person WHERE age = $age',
    ...overAll((people) => {
      const found = [];
      for (const { name, city, age } of people) if (age === 42) found.push({ name, city });
      return found;
    }),
  },
  {
    name: 'projection of all',
    data: PEOPLE,
    surrealql: 'SELECT name, age FROM person',
    sql: 'SELECT name, age FROM person',
    ...overAll((people) => {
      const found = [];
      for (const { name, age } of people) found.push({ name, age });
      return found;
    }),
  },
  {
    name: 'group by city, count and sum',
    data: PEOPLE,
    surrealql: 'SELECT city, count() AS people, math::sum(score) AS score FROM person GROUP BY city',
    sql: 'SELECT city, count(*) AS people, sum(score) AS score FROM person GROUP BY city',
    ...overAll((people) => {
      const groups = new Map();
      for (const { city, score } of people) {
        const group = groups.get(city);
        if (group === undefined) groups.set(city, { city, people: 1, score });
        else {
          group.people++;
          group.score += score;
        }
      }
      return [...groups.values()];
    }),
    unordered: true,
  },
  {
    name: 'order by score, first 10',
    data: PEOPLE,
    surrealql: 'SELECT name, score FROM person ORDER BY score DESC, name LIMIT 10',
    sql: 'SELECT name, score FROM person ORDER BY score DESC, name LIMIT 10',
    ...overAll((people) => {
      const first = [];
      for (const { name, score } of people) {
        if (first.length === 10 && score < first[9].score) continue;
        const at = first.findIndex((other) => other.score < score || (other.score === score && other.name > name));
        first.splice(at < 0 ? first.length : at, 0, { name, score });
        if (first.length > 10) first.pop();
      }
      return first;
    }),
  },
];
