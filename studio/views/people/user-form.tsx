/** Adds a system user, or changes one. The password goes to the server once, and is kept nowhere. */
import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../components/dialog.js';
import { Field, SelectField } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { type DefinitionLevel, levelsOf, nameOfLevel } from './levels.js';
import { alterUser, defineUser, ROLES, type Role, type SystemUser, type UserEntries } from './users.js';

interface Properties {
  readonly connection: Connection;
  /** The user to change; none: a new one. */
  readonly user?: SystemUser | undefined;
  onClose(): void;
}

export function UserForm({ connection, user, onClose }: Properties) {
  const { session } = connection;
  const levels = levelsOf(session);
  const [entries, setEntries] = useState<UserEntries>(() => entriesOf(user, levels.at(-1) ?? 'database'));
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const change = (changed: Partial<UserEntries>) => setEntries((last) => ({ ...last, ...changed }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      await connection.query(user === undefined ? defineUser(entries) : alterUser(entries));
      onClose();
    } catch (thrown) {
      setError(asError(thrown).message);
      setBusy(false);
    }
  };
  const titles = Object.fromEntries(levels.map((level) => [level, nameOfLevel(level, session)]));
  return (
    <Dialog title={user === undefined ? 'Add a user' : `Change ${user.name}`} onClose={onClose}>
      <Stack component="form" onSubmit={submit}>
        {user === undefined && (
          <>
            <Field label="Name" value={entries.name} onChange={(name) => change({ name })} required />
            <SelectField
              label="Level"
              value={entries.level}
              options={titles as Record<DefinitionLevel, string>}
              onChange={(level) => change({ level })}
            />
          </>
        )}
        <Field
          label="Password"
          type="password"
          autocomplete="new-password"
          value={entries.password}
          onChange={(password) => change({ password })}
          required={user === undefined}
          {...(user !== undefined && { hint: 'Leave it empty to keep the present one. A new one ends the sessions.' })}
        />
        <SelectField<Role> label="Role" value={entries.role} options={ROLES} onChange={(role) => change({ role })} />
        <Field
          label="Tokens last"
          value={entries.token}
          onChange={(token) => change({ token })}
          hint="Such as 1h; empty: without end"
        />
        <Field
          label="Sessions last"
          value={entries.session}
          onChange={(lasting) => change({ session: lasting })}
          hint="Such as 12h; empty: without end"
        />
        {error !== '' && <Notice kind="error">{error}</Notice>}
        <Group mt="md">
          <Button type="submit" variant="filled" disabled={isBusy}>
            {user === undefined ? 'Add the user' : 'Save'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** The highest of several roles is shown: it contains the others. */
function entriesOf(user: SystemUser | undefined, level: DefinitionLevel): UserEntries {
  if (user === undefined) return { name: '', level, password: '', role: 'VIEWER', token: '1h', session: '' };
  const highest = (Object.keys(ROLES) as Role[]).findLast((role) => user.roles.includes(role)) ?? 'VIEWER';
  const { token, session } = user.duration;
  return {
    name: user.name,
    level: user.level,
    password: '',
    role: highest,
    token: token?.toString() ?? '',
    session: session?.toString() ?? '',
  };
}
