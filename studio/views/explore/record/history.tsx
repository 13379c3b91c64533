/** What a record was, by the changefeed of its table; or how its table gets one. */
import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { CopiedText } from '../../../components/copied-text.js';
import { Notice } from '../../../components/notice.js';
import { asError } from '../../../connection/as-error.js';
import type { Connection } from '../../../connection/connection.js';
import { loadTableParts } from '../../../connection/definitions.js';
import { identifier } from '../../../connection/surrealql.js';
import type { TableParts } from '../../../connection/table-parts.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import type { RecordName } from '../changes.js';
import { VersionList } from './version-list.js';
import { type FoundVersion, findVersions } from './versions.js';

interface Properties {
  readonly connection: Connection;
  readonly record: RecordName;
}

export function History({ connection, record }: Properties) {
  const { table } = record;
  const feed = useLoaded(() => loadFeed(connection, table), [connection, table]);
  return (
    <section aria-label="History">
      <h2>History</h2>
      {feed.error !== undefined && <Refused error={feed.error} />}
      {feed.data !== undefined && !feed.data.isThere && <NoFeed table={table} />}
      {feed.data?.isThere && <Versions connection={connection} record={record} parts={feed.data.parts} />}
    </section>
  );
}

interface Feed {
  readonly parts: TableParts | undefined;
  readonly isThere: boolean;
}

/** The feed of a table, or of the whole database, whose definition not everyone may see. */
async function loadFeed(connection: Connection, table: string): Promise<Feed> {
  const parts = (await loadTableParts(connection)).find(({ name }) => name === table);
  if (parts?.changefeed !== undefined) return { parts, isThere: true };
  const [sets] = await connection.query<[number]>(
    `RETURN count((SHOW CHANGES FOR TABLE ${identifier(table)} SINCE 0 LIMIT 1))`,
  );
  return { parts, isThere: sets > 0 };
}

function Refused({ error }: { readonly error: Error }) {
  if (!/not enough permissions/i.test(error.message)) return <Notice kind="error">{error.message}</Notice>;
  return (
    <Text c="dimmed" size="sm">
      What records were is for system users of the database to see.
    </Text>
  );
}

function NoFeed({ table }: { readonly table: string }) {
  return (
    <Stack gap="xs">
      <Text c="dimmed" size="sm">
        The table keeps no changes. With a changefeed it does from then on, for as long as the feed says:
      </Text>
      <CopiedText title="Statement" text={`ALTER TABLE ${identifier(table)} CHANGEFEED 7d INCLUDE ORIGINAL;`} />
    </Stack>
  );
}

interface VersionsProperties extends Properties {
  readonly parts: TableParts | undefined;
}

/** Found when one asks for them, since the feed has the changes of all records of the table. */
function Versions({ connection, record, parts }: VersionsProperties) {
  const [found, setFound] = useState<readonly FoundVersion[]>();
  const [seen, setSeen] = useState<number>();
  const [error, setError] = useState('');
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  const find = async () => {
    running.current = new AbortController();
    const { signal } = running.current;
    setError('');
    setSeen(0);
    try {
      const versions = await findVersions(connection, record, { progress: setSeen, signal });
      if (!signal.aborted) setFound(versions);
    } catch (thrown) {
      setError(asError(thrown).message);
    } finally {
      setSeen(undefined);
    }
  };
  return (
    <Stack align="start">
      {error !== '' && <Notice kind="error">{error}</Notice>}
      <Button disabled={seen !== undefined} onClick={() => void find()}>
        {found === undefined ? 'Show the history' : 'Read the history again'}
      </Button>
      {seen !== undefined && (
        <Text role="status">Looking through the changes of the table: {seen.toLocaleString('en')} transactions…</Text>
      )}
      {found !== undefined && <VersionList connection={connection} record={record} found={found} parts={parts} />}
    </Stack>
  );
}
