/** Conditions that a form offers for permissions, by the fields that there are. */

import type { DraftTable } from './draft.js';

/** Those of users who are signed in, of links to the user, and of the user's own record. */
export function conditionsFor({ columns }: DraftTable): readonly string[] {
  const links = columns.filter(({ choice: { type } }) => /\brecord\b/.test(type) && !/\b(array|set)</.test(type));
  return ['$auth.id != NONE', 'id = $auth.id', ...links.map(({ path }) => `${path} = $auth.id`)];
}
