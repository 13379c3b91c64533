// Through an index: one value, and a range of them.
import { INDEXED } from '../data/people.mjs';

const STEP = 7_919;

/** @type {import('../harness/contract.mjs').Workload[]} */
export const INDEXES = [
  {
    name: 'equality by index',
    data: INDEXED,
    variables: (n, { rows }) => ({ name: `person ${(n * STEP) % rows}` }),
    surrealql: 'SELECT * FROM person WHERE name = $name',
    sql: 'SELECT * FROM person WHERE name = $name',
    plain: ({ tables: { person } }, { rows }) => {
      const byName = new Map([...person.values()].map((row) => [row.name, row]));
      return (n) => [byName.get(`person ${(n * STEP) % rows}`)];
    },
  },
  {
    name: 'range by index, 1 in 100',
    data: INDEXED,
    variables: (n) => rangeOf(n),
    surrealql: 'SELECT name, score FROM person WHERE score >= $from AND score < $to',
    sql: 'SELECT name, score FROM person WHERE score >= $from AND score < $to',
    plain: ({ tables: { person } }) => {
      const sorted = [...person.values()].sort((a, b) => a.score - b.score);
      return (n) => {
        const { from, to } = rangeOf(n);
        const found = [];
        for (let at = firstFrom(sorted, from); at < sorted.length && sorted[at].score < to; at++) {
          found.push({ name: sorted[at].name, score: sorted[at].score });
        }
        return found;
      };
    },
    unordered: true,
  },
];

function rangeOf(n) {
  const from = (n * STEP) % 99_000;
  return { from, to: from + 1_000 };
}

function firstFrom(sorted, score) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle].score < score) low = middle + 1;
    else high = middle;
  }
  return low;
}
