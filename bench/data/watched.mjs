/** A record that many watch. @type {import('../harness/contract.mjs').Dataset} */
export const WATCHED = {
  name: 'watched',
  tables: { watched: { columns: ['n'], rows: () => [{ id: 1, n: 0 }] } },
};
