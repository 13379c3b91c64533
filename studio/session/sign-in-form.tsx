/** Signing in as any kind of user. What is typed here goes to the server once, and is kept nowhere. */
import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { leaveForProvider, providerAccesses } from '../../pages/provider-sign-in.js';
import { type Credentials, signIn } from '../../pages/server.js';
import { route } from '../base/route.js';
import { useStore } from '../base/store.js';
import { Field, SelectField } from '../components/field.js';
import { Notice } from '../components/notice.js';
import { asError } from '../connection/as-error.js';
import { useLoaded } from '../connection/use-loaded.js';
import { enter, farewell, type Level } from './session.js';
import { asVariables, NO_VARIABLES, type Variable, VariableFields } from './variable-fields.js';

const LEVELS: Readonly<Record<Level, string>> = {
  root: 'Root user',
  namespace: 'Namespace user',
  database: 'Database user',
  record: 'Record access',
  guest: 'Guest, without signing in',
};

/** Which of namespace, database and access the sign-in of a level has to name. */
const NEEDS: Readonly<Record<Level, readonly ('namespace' | 'database')[]>> = {
  root: [],
  namespace: ['namespace'],
  database: ['namespace', 'database'],
  record: ['namespace', 'database'],
  guest: [],
};

export function SignInForm() {
  const [level, setLevel] = useState<Level>('root');
  const [user, setUser] = useState('');
  const [pass, setPass] = useState('');
  const [access, setAccess] = useState('');
  const [variables, setVariables] = useState<readonly Variable[]>(NO_VARIABLES);
  const [namespace, setNamespace] = useState(route.value.namespace);
  const [database, setDatabase] = useState(route.value.database);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const reason = useStore(farewell);
  const isUser = level !== 'record' && level !== 'guest';
  const needs = NEEDS[level];

  const credentials = (): Credentials => ({
    ...(level === 'record' ? { ...asVariables(variables), AC: access } : { user, pass }),
    ...(needs.includes('namespace') && { NS: namespace }),
    ...(needs.includes('database') && { DB: database }),
  });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      const name = level === 'guest' ? 'guest' : level === 'record' ? access : user;
      const token = level === 'guest' ? undefined : await signIn(credentials());
      enter({ level, name, ...(token !== undefined && { token }), namespace, database });
    } catch (thrown) {
      setError(asError(thrown).message);
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <h1>Tessera Studio</h1>
      <Stack component="form" className="card" onSubmit={submit}>
        <h2>Sign in</h2>
        {reason !== '' && <Notice kind="information">{reason}</Notice>}
        <SelectField label="As" value={level} options={LEVELS} onChange={setLevel} />
        {isUser && (
          <>
            <Field label="User" value={user} onChange={setUser} autocomplete="username" required isFirst />
            <Field
              label="Password"
              type="password"
              value={pass}
              onChange={setPass}
              autocomplete="current-password"
              required
            />
          </>
        )}
        {level === 'record' && (
          <>
            <Field label="Access method" value={access} onChange={setAccess} required />
            <VariableFields variables={variables} onChange={setVariables} />
          </>
        )}
        <Field label="Namespace" value={namespace} onChange={setNamespace} required={needs.includes('namespace')} />
        <Field label="Database" value={database} onChange={setDatabase} required={needs.includes('database')} />
        {error !== '' && <Notice kind="error">{error}</Notice>}
        <Button type="submit" variant="filled" disabled={isBusy}>
          {level === 'guest' ? 'Go on' : 'Sign in'}
        </Button>
        <ProviderButtons
          namespace={namespace}
          database={database}
          onFailure={(thrown) => setError(asError(thrown).message)}
        />
      </Stack>
    </main>
  );
}

interface ProviderButtonsProperties {
  readonly namespace: string;
  readonly database: string;
  /** Why the page couldn't leave for a provider. */
  onFailure(thrown: unknown): void;
}

/** A button for each access method by which system users sign in at a provider: of the server, and of the typed place. */
function ProviderButtons({ namespace, database, onFailure }: ProviderButtonsProperties) {
  const { data: accesses = [] } = useLoaded(() => providerAccesses(namespace, database), [namespace, database]);
  if (accesses.length === 0) return null;
  return (
    <Group>
      {accesses.map((access) => (
        <Button key={access.start} onClick={() => void leaveForProvider(access).catch(onFailure)}>
          Sign in with {access.AC}
        </Button>
      ))}
    </Group>
  );
}
