/** People: system users, access methods with what they have granted, who is signed in, and what was recorded. */

import { go } from '../../base/route.js';
import type { ViewProperties } from '../../base/view-properties.js';
import { Notice } from '../../components/notice.js';
import { Tabs } from '../../components/tabs.js';
import { AccessesTab } from './accesses-tab.js';
import { AuditTab } from './audit-tab.js';
import { levelsOf } from './levels.js';
import './people.css';
import { SessionsTab } from './sessions-tab.js';
import { SigninAttemptsTab } from './signin-attempts-tab.js';
import { UsersTab } from './users-tab.js';

const TABS = {
  users: 'Users',
  accesses: 'Access methods',
  sessions: 'Sessions',
  attempts: 'Sign-in attempts',
  audit: 'Audit log',
} as const;
type Tab = keyof typeof TABS;

export function View({ connection, path }: ViewProperties) {
  const [named = 'users'] = path;
  const chosen: Tab = Object.hasOwn(TABS, named) ? (named as Tab) : 'users';
  const isSystemUser = levelsOf(connection.session).length > 0;
  return (
    <>
      <h1>People</h1>
      <Tabs label="Parts of People" tabs={TABS} chosen={chosen} onChoose={(tab) => go('people', [tab])}>
        {chosen === 'sessions' ? (
          <SessionsTab connection={connection} />
        ) : !isSystemUser ? (
          <Notice kind="information">System users see this.</Notice>
        ) : chosen === 'users' ? (
          <UsersTab connection={connection} />
        ) : chosen === 'attempts' ? (
          <SigninAttemptsTab connection={connection} />
        ) : chosen === 'audit' ? (
          <AuditTab connection={connection} />
        ) : (
          <AccessesTab connection={connection} />
        )}
      </Tabs>
    </>
  );
}
