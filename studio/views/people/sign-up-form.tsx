/** Asks how users sign up, shows the statements that set it up, and runs them: all, or none. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Field, SelectField } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { loadDefinitions } from '../../connection/definitions.js';
import { runTransaction } from '../../connection/transaction.js';
import { useLoaded } from '../../connection/use-loaded.js';
import {
  DEFAULTS,
  faultOf,
  SIGN_UP_TEMPLATES,
  type SignUpEntries,
  type SignUpWay,
  signUpStatements,
} from './sign-up-templates.js';

interface Properties {
  readonly connection: Connection;
  onDone(entries: SignUpEntries): void;
  onClose(): void;
}

const TITLES = Object.fromEntries(Object.entries(SIGN_UP_TEMPLATES).map(([way, { title }]) => [way, title])) as Record<
  SignUpWay,
  string
>;

export function SignUpForm({ connection, onDone, onClose }: Properties) {
  const [entries, setEntries] = useState(DEFAULTS);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const present = useLoaded(() => loadDefinitions(connection), [connection]);
  const change = (changed: Partial<SignUpEntries>) => setEntries((last) => ({ ...last, ...changed }));
  const isThere = (kind: 'TABLE' | 'ACCESS', typed: string) =>
    present.data?.[kind].some(({ name }) => name === typed.trim()) ?? false;
  const taken = [
    ...(isThere('TABLE', entries.table) ? [`a table ${entries.table}`] : []),
    ...(isThere('ACCESS', entries.access) ? [`an access method ${entries.access}`] : []),
  ];
  const fault = taken.length > 0 ? `There is ${taken.join(' and ')} already. Choose another name.` : faultOf(entries);
  const statements = signUpStatements(entries);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      await runTransaction(connection, statements);
      onDone(entries);
    } catch (thrown) {
      setError(asError(thrown).message);
      setBusy(false);
    }
  };
  return (
    <Stack component="form" onSubmit={submit}>
      <SelectField
        label="Users sign in with"
        value={entries.way}
        options={TITLES}
        onChange={(way) => change({ way })}
        hint={SIGN_UP_TEMPLATES[entries.way].about}
      />
      {entries.way === 'passkey' && (
        <Field label="Your page" value={entries.page} onChange={(page) => change({ page })} required />
      )}
      <Group grow align="start">
        <Field label="Table of users" value={entries.table} onChange={(table) => change({ table })} required />
        <Field label="Access method" value={entries.access} onChange={(access) => change({ access })} required />
      </Group>
      <Group grow align="start">
        <Field label="Tokens last" value={entries.token} onChange={(token) => change({ token })} required />
        <Field label="Sessions last" value={entries.session} onChange={(session) => change({ session })} required />
      </Group>
      <Text size="sm">This runs, all of it or nothing:</Text>
      <pre>{`${statements.join(';\n')};`}</pre>
      {fault !== '' && <Notice kind="warning">{fault}</Notice>}
      {error !== '' && <Notice kind="error">{error}</Notice>}
      <Group>
        <Button type="submit" variant="filled" disabled={isBusy || fault !== '' || present.isLoading}>
          Set it up
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Group>
    </Stack>
  );
}
