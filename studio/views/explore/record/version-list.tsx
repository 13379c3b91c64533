/** The versions of a record, the latest first, each with what it changed, and a button that makes the record what it was. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from '../../../components/data-table.js';
import { Loading } from '../../../components/loading.js';
import { Notice } from '../../../components/notice.js';
import { Time } from '../../../components/time.js';
import { toast } from '../../../components/toast.js';
import { asError } from '../../../connection/as-error.js';
import type { Connection } from '../../../connection/connection.js';
import type { TableParts } from '../../../connection/table-parts.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import { type RecordName, withChange } from '../changes.js';
import { pendingChanges } from '../pending-changes.js';
import { loadContent } from '../typed-values.js';
import {
  type Difference,
  differencesOf,
  type FoundVersion,
  loadVersion,
  puttingBack,
  timeOf,
  type Version,
} from './versions.js';

interface Properties {
  readonly connection: Connection;
  readonly record: RecordName;
  /** From the first on. */
  readonly found: readonly FoundVersion[];
  readonly parts: TableParts | undefined;
}

/** Versions that are read at once. */
const STEP = 10;

export function VersionList({ connection, record, found, parts }: Properties) {
  const [most, setMost] = useState(STEP);
  // With the one before them, which the earliest is compared with.
  const wanted = found.slice(-most - 1);
  const loaded = useLoaded(
    () => Promise.all(wanted.map((version) => loadVersion(connection, record, version))),
    [connection, record.code, found, most],
  );
  if (found.length === 0) return <Text c="dimmed">The feed has no change of this record.</Text>;
  if (loaded.error !== undefined) return <Notice kind="error">{loaded.error.message}</Notice>;
  if (loaded.data === undefined) return <Loading what="Reading the versions" />;
  const versions = loaded.data;
  const hasEarlier = found.length > most;
  const putBack = async (version: Version) => {
    try {
      const current = await loadContent(connection, record.code);
      const computed = parts?.fields.flatMap((field) => (field.computed === undefined ? [] : [field.name])) ?? [];
      const isRelation = parts?.kind.kind === 'RELATION';
      const change = puttingBack(record, version, current, { isRelation, computed });
      if (change === undefined) return toast('The record is what it was then');
      const pending = pendingChanges(connection);
      pending.value = withChange(pending.value, change);
      toast('It will be what it was then, once you save the changes');
    } catch (thrown) {
      toast(`It can’t be put back. ${asError(thrown).message}`);
    }
  };
  return (
    <Stack component="ol" className="versions">
      {versions
        .map((version, at) => ({ version, before: versions[at - 1] }))
        .slice(hasEarlier ? 1 : 0)
        .toReversed()
        .map(({ version, before }) => (
          <li key={String(version.stamp)}>
            <Group justify="space-between">
              <strong>
                <Time at={timeOf(version)} /> {titleOf(version, before)}
              </strong>
              {!version.isDeletion && (
                <Button
                  disabled={connection.viewed !== undefined}
                  aria-label={`Put back: ${timeOf(version).toISOString()}`}
                  onClick={() => void putBack(version)}
                >
                  Put back
                </Button>
              )}
            </Group>
            {!version.isDeletion && (
              <Differences of={differencesOf(before?.content ?? {}, version.content)} isFirst={before === undefined} />
            )}
            {version.tooLarge.length > 0 && (
              <Text size="sm">Too large to be compared: {version.tooLarge.join(', ')}</Text>
            )}
          </li>
        ))}
      {hasEarlier && <Button onClick={() => setMost(most + STEP)}>Show earlier versions</Button>}
    </Stack>
  );
}

function titleOf(version: Version, before: Version | undefined): string {
  if (version.isDeletion) return 'deleted';
  // The feed may begin later than the record.
  if (before === undefined) return 'the first version of the feed';
  return before.isDeletion ? 'made again' : 'changed';
}

const LONGEST = 200;

interface DifferencesProperties {
  readonly of: readonly Difference[];
  /** Whether nothing is known of the version before. */
  readonly isFirst: boolean;
}

function Differences({ of, isFirst }: DifferencesProperties) {
  const column = (title: string, part: 'before' | 'after') => ({
    title,
    cell: (difference: Difference) => <Code of={difference[part]} />,
  });
  return (
    <DataTable
      caption={isFirst ? 'What it was' : 'What it changed'}
      rows={of}
      empty="No value"
      keyOf={({ name }) => name}
      columns={[
        { title: 'Field', cell: ({ name }) => name },
        ...(isFirst ? [column('Value', 'after')] : [column('Before', 'before'), column('After', 'after')]),
      ]}
    />
  );
}

function Code({ of }: { readonly of: string | undefined }) {
  if (of === undefined) return <span className="none">NONE</span>;
  return <span className="value">{of.length > LONGEST ? `${of.slice(0, LONGEST)}…` : of}</span>;
}
