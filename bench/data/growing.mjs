import { personOf } from './people.mjs';

/** People in teams of eight, each of whom knows one: whatever is asked of one finds as much among a thousand as among a million. */
export const TEAM = 8;
export const memberOf = (id) => ({ ...personOf(id), team: Math.floor(id / TEAM) });

/** @type {import('../harness/contract.mjs').Dataset} */
export const GROWING = {
  name: 'growing',
  tables: {
    person: {
      columns: ['name', 'age', 'active', 'city', 'score', 'team'],
      indexes: ['team'],
      rows: (count) => Array.from({ length: count }, (_, id) => memberOf(id)),
    },
    knows: {
      columns: ['in', 'out'],
      relates: 'person',
      rows: (count, record) =>
        Array.from({ length: count }, (_, id) => ({
          id,
          in: record('person', id),
          out: record('person', (id * 7_919) % count),
        })),
    },
  },
};
