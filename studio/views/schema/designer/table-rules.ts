/** Rules that a table may begin with: who of an app's users may do what with its rows. */
import type { FieldChoice, Permissions } from '../../../connection/statements.js';
import { identifier } from '../../../connection/surrealql.js';
import { NEW_FIELD } from '../new-definitions.js';

interface TableRule {
  readonly title: string;
  readonly permissions: Permissions;
  /** Whether rows have an owner. */
  readonly isOwned: boolean;
}

const OWN = 'owner = $auth.id';

export const TABLE_RULES = {
  system: {
    title: 'System users alone',
    permissions: { select: 'NONE', create: 'NONE', update: 'NONE', delete: 'NONE' },
    isOwned: false,
  },
  own: {
    title: 'Each user their own rows',
    permissions: { select: OWN, create: OWN, update: OWN, delete: OWN },
    isOwned: true,
  },
  shown: {
    title: 'Everyone reads, each user changes their own rows',
    permissions: { select: 'FULL', create: OWN, update: OWN, delete: OWN },
    isOwned: true,
  },
  read: {
    title: 'Everyone reads, system users change',
    permissions: { select: 'FULL', create: 'NONE', update: 'NONE', delete: 'NONE' },
    isOwned: false,
  },
  everyone: {
    title: 'Everyone does everything',
    permissions: { select: 'FULL', create: 'FULL', update: 'FULL', delete: 'FULL' },
    isOwned: false,
  },
} as const satisfies Record<string, TableRule>;

export type TableRuleName = keyof typeof TABLE_RULES;

/** The field with the owner of a row: who has made it. @param users the table of users; empty: any */
export function ownerField(users: string): FieldChoice {
  return {
    ...NEW_FIELD,
    path: 'owner',
    type: users.trim() === '' ? 'option<record>' : `option<record<${identifier(users.trim())}>>`,
    defaultValue: '$auth.id',
    isReadonly: true,
  };
}
