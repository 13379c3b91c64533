/**
 * `PERMISSIONS FOR select WHERE owner = $auth`: the condition of the reader's permission may choose
 * the access as well, so that such a rule costs a lookup in an index rather than a scan. Either way every record that
 * is found is judged again, so that an access can only ever find too much, never decide.
 */
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { Expression } from '../../language/ast.js';
import type { RuleName } from './rule.js';

export const permissionAccess = {
  name: 'permission-access' as const satisfies RuleName,
  /** The condition of the permission. */
  conditionOf({ definition }: TableEntry): Expression | undefined {
    const { select } = definition.permissions;
    return select.kind === 'where' ? select.condition : undefined;
  },
};
