/** People: system users, access methods with what they have granted, who is signed in, and what was recorded. */

import { Button, Tabs } from '@mantine/core';
import { useState } from 'react';
import { go } from '../../base/route.js';
import type { ViewProperties } from '../../base/view-properties.js';
import { PageHeader } from '../../components/page-header.js';
import { AccessesTab } from './accesses-tab.js';
import { AuditTab } from './audit-tab.js';
import { levelsOf } from './levels.js';
import './people.css';
import { RecordUsersTab } from './record-users-tab.js';
import { SessionsTab } from './sessions-tab.js';
import { SignUpDialog } from './sign-up-dialog.js';
import { SigninAttemptsTab } from './signin-attempts-tab.js';
import { UsersTab } from './users-tab.js';

const TABS = {
  users: 'Users',
  accesses: 'Access methods',
  records: 'Record users',
  sessions: 'Sessions',
  attempts: 'Sign-in attempts',
  audit: 'Audit log',
} as const;
type Tab = keyof typeof TABS;

/** What users without roles have: their own sessions. */
const OPEN_TABS: Readonly<Partial<typeof TABS>> = { sessions: TABS.sessions };

export function View({ connection, path }: ViewProperties) {
  const levels = levelsOf(connection.session);
  const tabs = levels.length > 0 ? TABS : OPEN_TABS;
  const [first = 'sessions'] = Object.keys(tabs) as Tab[];
  const [named = first] = path;
  const chosen: Tab = Object.hasOwn(tabs, named) ? (named as Tab) : first;
  const [isSettingUp, setSettingUp] = useState(false);
  const [setUps, setSetUps] = useState(0);
  const setUp = levels.includes('database') ? () => setSettingUp(true) : undefined;
  return (
    <>
      <PageHeader title="People" description="Who may sign in, who has, and what they did.">
        {setUp !== undefined && <Button onClick={setUp}>Set up sign-up</Button>}
      </PageHeader>
      <Tabs value={chosen} onChange={(tab) => go('people', [tab ?? 'users'])}>
        <Tabs.List aria-label="Parts of People" mb="md">
          {Object.entries(tabs).map(([tab, title]) => (
            <Tabs.Tab key={tab} value={tab}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={chosen}>
          {chosen === 'sessions' ? (
            <SessionsTab connection={connection} />
          ) : chosen === 'users' ? (
            <UsersTab connection={connection} />
          ) : chosen === 'records' ? (
            <RecordUsersTab key={setUps} connection={connection} />
          ) : chosen === 'attempts' ? (
            <SigninAttemptsTab connection={connection} />
          ) : chosen === 'audit' ? (
            <AuditTab connection={connection} />
          ) : (
            // Loaded again by what the dialog defines.
            <AccessesTab key={setUps} connection={connection} onSetUp={setUp} />
          )}
        </Tabs.Panel>
      </Tabs>
      {isSettingUp && (
        <SignUpDialog
          connection={connection}
          onClose={(isDone) => {
            setSettingUp(false);
            if (!isDone) return;
            setSetUps((count) => count + 1);
            go('people', ['accesses']);
          }}
        />
      )}
    </>
  );
}
