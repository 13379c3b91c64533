/** Sets up signing up, and then shows how programs call it. */
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { hrefOf } from '../../base/route.js';
import { CopiedText } from '../../components/copied-text.js';
import { Dialog } from '../../components/dialog.js';
import type { Connection } from '../../connection/connection.js';
import { callsOf } from './sign-up-calls.js';
import { SignUpForm } from './sign-up-form.js';
import { SIGN_UP_TEMPLATES, type SignUpEntries } from './sign-up-templates.js';

interface Properties {
  readonly connection: Connection;
  /** Called with whether it was set up. */
  onClose(isDone: boolean): void;
}

export function SignUpDialog({ connection, onClose }: Properties) {
  const [done, setDone] = useState<SignUpEntries>();
  return (
    <Dialog
      title={done === undefined ? 'Set up sign-up' : 'Users can sign up'}
      onClose={() => onClose(done !== undefined)}
    >
      {done === undefined ? (
        <SignUpForm connection={connection} onDone={setDone} onClose={() => onClose(false)} />
      ) : (
        <Calls connection={connection} entries={done} onClose={() => onClose(true)} />
      )}
    </Dialog>
  );
}

/** The form that had the focus is gone. */
function focusHere(text: HTMLElement | null): void {
  text?.focus();
}

interface CallsProperties {
  readonly connection: Connection;
  readonly entries: SignUpEntries;
  onClose(): void;
}

function Calls({ connection: { session }, entries, onClose }: CallsProperties) {
  const { namespace, database } = session;
  return (
    <Stack>
      <Text size="sm" ref={focusHere} tabIndex={-1}>
        Programs call it like this. Users see and change what the PERMISSIONS of each table allow them; see them in{' '}
        <Anchor href={hrefOf('permissions')}>Permissions</Anchor>. The guide goes on from here in{' '}
        <code>docs/guides/sign-in/{SIGN_UP_TEMPLATES[entries.way].guide}</code>.
      </Text>
      {callsOf(entries, { server: location.origin, namespace, database }).map(({ title, code }) => (
        <CopiedText key={title} title={title} text={code} />
      ))}
      <Group>
        <Button variant="filled" onClick={onClose}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
