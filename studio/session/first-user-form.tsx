/** Making the first root user of a fresh server, with the code that it has printed, and signing in as that user. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { setUp, signIn } from '../../pages/server.js';
import { Store } from '../base/store.js';
import { Field } from '../components/field.js';
import { Notice } from '../components/notice.js';
import { asError } from '../connection/as-error.js';
import { enter } from './session.js';

/** Whether the server had no root user as it sent the page. */
export const needsSetup = new Store(
  document.querySelector<HTMLMetaElement>('meta[name="tessera-setup"]')?.content === 'open',
);

export function FirstUserForm() {
  const [user, setUser] = useState('root');
  const [pass, setPass] = useState('');
  const [code, setCode] = useState('');
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      await setUp({ user, pass, code: code.trim() });
      needsSetup.value = false;
      const token = await signIn({ user, pass });
      enter({ level: 'root', name: user, token, namespace: '', database: '' });
    } catch (thrown) {
      setError(asError(thrown).message);
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <h1>Tessera Studio</h1>
      <Stack component="form" className="card" onSubmit={submit}>
        <h2>Make the first root user</h2>
        <Text c="dimmed" size="sm">
          This server has no root user yet. Its root users own all of its data. The code is in what the server has
          printed where it was started.
        </Text>
        <Field label="Code" value={code} onChange={setCode} hint="32 digits and letters, valid once" required isFirst />
        <Field label="User" value={user} onChange={setUser} autocomplete="username" required />
        <Field
          label="Password"
          type="password"
          value={pass}
          onChange={setPass}
          autocomplete="new-password"
          hint="At least 8 characters"
          required
        />
        {error !== '' && <Notice kind="error">{error}</Notice>}
        <Group>
          <Button type="submit" variant="filled" disabled={isBusy}>
            Make the user
          </Button>
          <Button
            onClick={() => {
              needsSetup.value = false;
            }}
          >
            Sign in instead
          </Button>
        </Group>
      </Stack>
    </main>
  );
}
