/** Which clause counts for whom. */
import type { Action, Clause } from '../../connection/table-parts.js';

/** Those whose rights differ. Record users and guests have the same clauses: their conditions tell them apart. */
export type UserGroup = 'record' | 'viewer' | 'editor';

export const GROUPS: Readonly<Record<UserGroup, string>> = {
  record: 'Record users and guests',
  viewer: 'Viewers',
  editor: 'Editors and owners',
};

/** PERMISSIONS hold for system users as well, where their role doesn't cover the action. */
export function clauseFor(group: UserGroup, action: Action, clause: Clause): Clause {
  return group === 'editor' || (group === 'viewer' && action === 'select') ? true : clause;
}
