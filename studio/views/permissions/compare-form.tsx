/** One statement as two users, side by side: what differs, and by which rule; to be kept as a test. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useId, useState } from 'react';
import { download } from '../../base/download.js';
import { TextAreaField } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { toast } from '../../components/toast.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { CompareTable } from './compare-table.js';
import { type Comparison, compare } from './comparison.js';
import { isTestable, permissionTest } from './permission-test.js';
import { NO_ENTRIES, type UserEntries, UserFields, userOf } from './user-fields.js';

interface Properties {
  readonly connection: Connection;
  /** The names of the database's access methods. */
  readonly accesses: readonly string[];
}

export function CompareForm({ connection, accesses }: Properties) {
  const [statement, setStatement] = useState('');
  const [first, setFirst] = useState(NO_ENTRIES);
  const [second, setSecond] = useState<UserEntries>({ ...NO_ENTRIES, kind: 'guest' });
  const [comparison, setComparison] = useState<Comparison>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const run = async () => {
    setError(undefined);
    setComparison(undefined);
    setBusy(true);
    try {
      setComparison(await compare(connection, statement, [userOf(first), userOf(second)]));
    } catch (thrown) {
      setError(asError(thrown));
    } finally {
      setBusy(false);
    }
  };
  const save = async (shown: Comparison) => {
    try {
      download(new Blob([await permissionTest(connection, shown)], { type: 'text/plain' }), 'permissions.surql');
      toast('Run it with tessera test permissions.surql --schema …');
    } catch (thrown) {
      setError(asError(thrown));
    }
  };
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>Compare two users</h2>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <TextAreaField
          label="Statement"
          hint="One SELECT. It runs in views of both, which change nothing."
          rows={3}
          value={statement}
          onChange={setStatement}
        />
        <UserFields label="First user" suffix=" of the first" entries={first} accesses={accesses} onChange={setFirst} />
        <UserFields
          label="Second user"
          suffix=" of the second"
          entries={second}
          accesses={accesses}
          onChange={setSecond}
        />
        <Group>
          <Button type="submit" disabled={isBusy || statement.trim() === ''}>
            Compare
          </Button>
          {comparison !== undefined && isTestable(comparison) && (
            <Button onClick={() => void save(comparison)}>Save as permission test</Button>
          )}
        </Group>
        {error !== undefined && <Notice kind="error">{error.message}</Notice>}
        {comparison !== undefined && (
          <>
            <Text size="sm" role="status">
              {summaryOf(comparison)}
            </Text>
            <CompareTable comparison={comparison} />
          </>
        )}
      </Stack>
    </section>
  );
}

function summaryOf({ rows }: Comparison): string {
  if (rows === undefined) return 'The answers aren’t rows with ids: they are shown whole.';
  const different = rows.filter(({ isSame }) => !isSame).length;
  return different === 0 ? `Both see the same: ${rows.length} rows.` : `${different} of ${rows.length} rows differ.`;
}
