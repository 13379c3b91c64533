/** No tables. @type {import('../harness/contract.mjs').Dataset} */
export const NOTHING = { name: 'nothing', tables: {} };
