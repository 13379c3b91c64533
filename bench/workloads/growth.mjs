// How much more work on single records costs among many than among a thousand: processor time, so that disks don't count.
import { GROWING, memberOf, TEAM } from '../data/growing.mjs';

const FEW = 1_000;
/** What is under way at once, so that writes on disk go out together. */
const AT_ONCE = 32;
/** Milliseconds of a measurement, and of one that only shows that it works. */
const LONG = 150;
const SHORT = 15;
/** A database of fewer rows isn't what growth is about. */
const MANY = 10_000;

/** @typedef {{text: string, variables: (id: number, record: (table: string, id: number) => unknown) => Record<string, unknown>, made?: boolean}} Work */
/** `made`: of records that the work made itself, beyond those that are there. @type {Record<string, Work>} */
const WORK = {
  'read by id': { text: 'SELECT * FROM $id', variables: (id, record) => ({ id: record('person', id) }) },
  create: {
    text: 'CREATE $id CONTENT $content RETURN NONE',
    variables: (id, record) => {
      const { id: _, ...content } = memberOf(id);
      return { id: record('person', id), content };
    },
    made: true,
  },
  update: {
    text: 'UPDATE $id SET age += 1 RETURN NONE',
    variables: (id, record) => ({ id: record('person', id) }),
  },
  delete: { text: 'DELETE $id', variables: (id, record) => ({ id: record('person', id) }), made: true },
  'equality by index': {
    text: 'SELECT * FROM person WHERE team = $team',
    variables: (id) => ({ team: Math.floor(id / TEAM) }),
  },
  'one hop': {
    text: 'SELECT VALUE ->knows->person.name FROM ONLY $id',
    variables: (id, record) => ({ id: record('person', id) }),
  },
};

/** The databases of a thousand rows, by the large ones that they stand beside. */
const small = new WeakMap();
/** How many records beyond those of the dataset were made of each database, and deleted again. */
const made = new WeakMap();

/** Microseconds of processor time for each repetition. */
async function cost(opened, rows, { text, variables, made: isNew }, milliseconds) {
  const counts = made.get(opened) ?? { created: 0, deleted: 0 };
  made.set(opened, counts);
  let random = 1;
  const next = () => {
    if (!isNew) {
      random = (random * 48_271) % 2_147_483_647;
      return random % rows;
    }
    // One after the other beyond the end, as ascending ids come.
    return rows + (text.startsWith('DELETE') ? counts.deleted++ : counts.created++);
  };
  const isOver = () => text.startsWith('DELETE') && counts.deleted + AT_ONCE > counts.created;
  const before = process.cpuUsage();
  const began = performance.now();
  let count = 0;
  while (performance.now() - began < milliseconds && !isOver()) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => opened.statement(text, () => variables(next(), opened.record))(0)),
    );
    count += AT_ONCE;
  }
  const { user, system } = process.cpuUsage(before);
  return count === 0 ? Number.NaN : (user + system) / count;
}

/** @type {import('../harness/contract.mjs').Workload[]} */
export const GROWTH = Object.entries(WORK).map(([name, work]) => ({
  name: `${name}, growth from 1,000 rows`,
  data: GROWING,
  only: ['tessera:memory', 'tessera:lmdb'],
  figure: 'growth',
  surrealql: () => undefined,
  sample: async (opened, { rows }) => {
    if (!small.has(opened)) small.set(opened, await opened.another(FEW));
    const few = small.get(opened);
    // Both warm up, and make what is deleted later.
    const milliseconds = rows < MANY ? SHORT : LONG;
    for (const each of [WORK.create, work]) {
      await cost(few, FEW, each, milliseconds);
      await cost(opened, rows, each, milliseconds);
    }
    const before = await cost(few, FEW, work, milliseconds);
    const many = await cost(opened, rows, work, milliseconds);
    const after = await cost(few, FEW, work, milliseconds);
    return { growth: many / ((before + after) / 2), processor: many * 1e3 };
  },
}));
