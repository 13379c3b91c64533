/** Conditions that a form offers for permissions, by the fields that there are. */

import type { DraftTable } from './draft.js';
import { recordTables } from './links.js';

/** Those of users who are signed in, of links to the user, and of the user's own record. */
export function conditionsFor({ columns }: DraftTable): readonly string[] {
  const links = columns.filter(({ choice: { type } }) => recordTables(type).length > 0 || /\brecord\b/.test(type));
  const single = links.filter(({ choice: { type } }) => !/\b(array|set)</.test(type) && !type.includes('*'));
  return ['$auth.id != NONE', 'id = $auth.id', ...single.map(({ path }) => `${path} = $auth.id`)];
}
