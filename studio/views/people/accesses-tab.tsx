/** Access methods with their settings in words. Those that grant something list it. */
import { Text } from '@mantine/core';
import { LoadedContent } from '../../components/loaded-content.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { describeAccess } from './access-words.js';
import { type AccessMethod, loadAccesses } from './accesses.js';
import { Grants } from './grants.js';
import { nameOfLevel } from './levels.js';

export function AccessesTab({ connection }: { readonly connection: Connection }) {
  const accesses = useLoaded(() => loadAccesses(connection), [connection]);
  return (
    <LoadedContent of={accesses}>
      {(loaded) =>
        loaded.length === 0 ? (
          <Text c="dimmed">There are no access methods at these levels.</Text>
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
