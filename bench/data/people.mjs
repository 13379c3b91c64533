const CITIES = ['Turin', 'Lagos', 'Osaka', 'Lima', 'Oslo', 'Perth', 'Quito', 'Riga', 'Sofia', 'Tunis'];

/** One person, of whom everything follows from the number. */
export const personOf = (id) => ({
  id,
  name: `person ${id}`,
  age: id % 100,
  active: id % 3 === 0,
  city: CITIES[(id * 7) % CITIES.length],
  score: (id * 7_919) % 100_003,
});
const columns = ['name', 'age', 'active', 'city', 'score'];
export const peopleFrom = (from, count) => Array.from({ length: count }, (_, n) => personOf(from + n));

/**
 * People to read, some to change, and tables that stand empty between rounds: `made` is written to, `gone` deleted from.
 * @type {import('../harness/contract.mjs').Dataset}
 */
export const PEOPLE = {
  name: 'people',
  tables: {
    person: { columns, rows: (count) => peopleFrom(0, count) },
    changed: { columns, rows: () => peopleFrom(0, 1_000) },
    made: { columns, rows: () => [] },
    gone: { columns, rows: () => [] },
  },
};

/** The same with an index on two of their fields: `name` tells people apart, `score` orders them. */
export const INDEXED = {
  name: 'indexed people',
  most: 10_000,
  tables: { person: { columns, indexes: ['name', 'score'], rows: (count) => peopleFrom(0, count) } },
};
