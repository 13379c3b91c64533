/** Access methods with their settings in words. Those that grant something list it. */
import { Button, EmptyState, Text } from '@mantine/core';
import { PersonAddIcon } from '@primer/octicons-react';
import { LoadedContent } from '../../components/loaded-content.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { describeAccess } from './access-words.js';
import { type AccessMethod, loadAccesses } from './accesses.js';
import { Grants } from './grants.js';
import { nameOfLevel } from './levels.js';

interface Properties {
  readonly connection: Connection;
  /** Opens the dialog that sets up signing up; none: there is no database to do it in. */
  readonly onSetUp: (() => void) | undefined;
}

export function AccessesTab({ connection, onSetUp }: Properties) {
  const accesses = useLoaded(() => loadAccesses(connection), [connection]);
  return (
    <LoadedContent of={accesses}>
      {(loaded) =>
        loaded.length === 0 ? (
          <EmptyState
            icon={<PersonAddIcon size={40} />}
            title="There are no access methods at these levels"
            description="An access method lets the users of your app sign up and in, as records of a table."
          >
            {onSetUp !== undefined && (
              <EmptyState.Actions>
                <Button variant="filled" onClick={onSetUp}>
                  Set up sign-up
                </Button>
              </EmptyState.Actions>
            )}
          </EmptyState>
        ) : (
          loaded.map((access) => (
            <Access key={`${access.level} ${access.name}`} connection={connection} access={access} />
          ))
        )
      }
    </LoadedContent>
  );
}

function Access({ connection, access }: { readonly connection: Connection; readonly access: AccessMethod }) {
  const { kind, level, name } = access;
  const hasGrants = kind.kind === 'BEARER' || (kind.kind === 'RECORD' && kind.refresh === true);
  return (
    <article className="access" aria-label={name}>
      <h2>
        {name}{' '}
        <Text span c="dimmed" size="sm">
          {nameOfLevel(level, connection.session)}
        </Text>
      </h2>
      <ul>
        {describeAccess(access).map(({ text, statement }) => (
          <li key={text}>
            {text}
            {statement !== undefined && <code>{statement}</code>}
          </li>
        ))}
      </ul>
      {hasGrants && <Grants connection={connection} access={access} />}
    </article>
  );
}
