/** Which table an access method's users are in, by its clauses. */
import { expect, it } from 'vitest';
import { usersTableOf } from '../../studio/views/people/users-table.js';

it.each([
  ['CREATE user SET email = $email', undefined, 'user'],
  [undefined, 'SELECT * FROM account WHERE name = $name', 'account'],
  ['CREATE ONLY `the users \\` of it` SET x = 1', 'SELECT * FROM user', 'the users ` of it'],
  [undefined, "SELECT * FROM type::record('account', $name)", ''],
  [undefined, undefined, ''],
])('of %s and %s', (signup, signin, table) => {
  expect(usersTableOf({ signup, signin })).toBe(table);
});
