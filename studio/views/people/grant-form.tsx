/** Grants a key for a user or a record, and shows it, once. It is gone when the dialog is closed. */
import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { type AccessMethod, grantTo } from './accesses.js';

interface Properties {
  readonly connection: Connection;
  readonly access: AccessMethod;
  onClose(): void;
}

export function GrantForm({ connection, access, onClose }: Properties) {
  const [subject, setSubject] = useState('');
  const [key, setKey] = useState<string>();
  const [error, setError] = useState('');
  const isForRecords = access.kind.kind === 'BEARER' && access.kind.subject === 'RECORD';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError('');
    try {
      const granted = await grantTo(connection, access, subject);
      setKey(granted.grant.key ?? '');
    } catch (thrown) {
      setError(asError(thrown).message);
    }
  };
  return (
    <Dialog title={`Grant a key of ${access.name}`} onClose={onClose}>
      {key === undefined ? (
        <Stack component="form" onSubmit={submit}>
          <Field
            label={isForRecords ? 'Record' : 'User'}
            value={subject}
            onChange={setSubject}
            required
            hint={isForRecords ? 'The id, such as person:ann' : 'A system user of the same level'}
          />
          {error !== '' && <Notice kind="error">{error}</Notice>}
          <Group mt="md">
            <Button type="submit" variant="filled">
              Grant
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </Group>
        </Stack>
      ) : (
        <>
          <Notice kind="warning">This is the only time that the key is shown. Copy it now.</Notice>
          <pre className="key">{key}</pre>
          <Group mt="md">
            <Button variant="filled" onClick={() => void navigator.clipboard?.writeText(key)}>
              Copy
            </Button>
            <Button onClick={onClose}>Done</Button>
          </Group>
        </>
      )}
    </Dialog>
  );
}
