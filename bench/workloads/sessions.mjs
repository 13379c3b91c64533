// Signing in, and live queries.
import { ACCOUNTS, CREDENTIALS } from '../data/accounts.mjs';
import { WATCHED } from '../data/watched.mjs';

const WATCHERS = 100;

/** @type {import('../harness/contract.mjs').Workload[]} */
export const SESSIONS = [
  {
    name: 'sign in with a password (Argon2)',
    data: ACCOUNTS,
    surrealql:
      ({ signIn }) =>
      () =>
        signIn('account', CREDENTIALS).then((token) => [token !== undefined]),
  },
  {
    name: 'sign in with a token',
    data: ACCOUNTS,
    surrealql: ({ signIn, authenticate }) => {
      const token = signIn('account', CREDENTIALS);
      return async () => {
        await authenticate(await token);
        return [true];
      };
    },
  },
  {
    name: 'one write sent to 100 live queries',
    data: WATCHED,
    surrealql: ({ live, query, record }) => {
      const heard = { each: () => undefined };
      const watching = Promise.all(Array.from({ length: WATCHERS }, () => live('watched', (row) => heard.each(row))));
      const who = record('watched', 1);
      return async (n) => {
        await watching;
        const all = new Promise((resolve) => {
          const told = [];
          heard.each = (row) => {
            if (told.push(row.n) === WATCHERS) resolve([told]);
          };
        });
        await query('UPDATE $who SET n = $n RETURN NONE', { who, n: n + 1 });
        return all;
      };
    },
    plain: () => {
      const watchers = Array.from({ length: WATCHERS }, () => (row, told) => told.push(row.n));
      return (n) => {
        const told = [];
        for (const each of watchers) each({ id: 1, n: n + 1 }, told);
        return told;
      };
    },
  },
];
