/** The audit log: filtered, page by page, the newest first, and verified. */
import { Button, Group } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { DataTable } from '../../components/data-table.js';
import { Field } from '../../components/field.js';
import { LoadedContent } from '../../components/loaded-content.js';
import { Notice } from '../../components/notice.js';
import { Time } from '../../components/time.js';
import { Value } from '../../components/value.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { type AuditFilter, type AuditRecord, EVERYTHING, loadAudit, PAGE, verifyAudit } from './audit.js';

interface Shown {
  readonly filter: AuditFilter;
  readonly before?: number | undefined;
}

export function AuditTab({ connection }: { readonly connection: Connection }) {
  const [shown, setShown] = useState<Shown>({ filter: EVERYTHING });
  const page = useLoaded(() => loadAudit(connection, shown.filter, shown.before), [connection, shown]);
  return (
    <>
      <FilterForm onFilter={(filter) => setShown({ filter })} />
      <VerificationPart connection={connection} />
      <LoadedContent of={page} seenBy="owners">
        {(records) => (
          <>
            <Records records={records} />
            <Group mt="md">
              {shown.before !== undefined && <Button onClick={() => setShown({ filter: shown.filter })}>Newest</Button>}
              {records.length === PAGE && (
                <Button onClick={() => setShown({ filter: shown.filter, before: lastNumber(records) })}>Older</Button>
              )}
            </Group>
          </>
        )}
      </LoadedContent>
    </>
  );
}

function FilterForm({ onFilter }: { onFilter(filter: AuditFilter): void }) {
  const [filter, setFilter] = useState(EVERYTHING);
  const field = (name: keyof AuditFilter, label: string, hint?: string) => (
    <Field
      label={label}
      value={filter[name]}
      onChange={(value) => setFilter({ ...filter, [name]: value })}
      {...(hint !== undefined && { placeholder: hint })}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onFilter({ ...filter });
  };
  return (
    <Group component="form" align="end" aria-label="Filter" onSubmit={submit}>
      {field('action', 'Action', 'sign-in')}
      {field('who', 'Who')}
      {field('address', 'Address')}
      {field('from', 'From', '2027-01-15T08:00:00Z')}
      {field('until', 'Until', '2027-01-16T08:00:00Z')}
      <Button type="submit" variant="filled">
        Filter
      </Button>
    </Group>
  );
}

function VerificationPart({ connection }: { readonly connection: Connection }) {
  const [said, setSaid] = useState<{ readonly kind: 'information' | 'error'; readonly text: string }>();
  const verify = async () => {
    setSaid(undefined);
    try {
      const { records, head, broken } = await verifyAudit(connection);
      if (broken === undefined) {
        setSaid({ kind: 'information', text: `${records} records are as they were written. The last is ${head}` });
      } else setSaid({ kind: 'error', text: `Line ${broken.line}: ${broken.reason}` });
    } catch (thrown) {
      setSaid({ kind: 'error', text: asError(thrown).message });
    }
  };
  return (
    <>
      <Group mt="md">
        <Button onClick={() => void verify()}>Verify the log</Button>
      </Group>
      {said !== undefined && <Notice kind={said.kind}>{said.text}</Notice>}
    </>
  );
}

function Records({ records }: { readonly records: readonly AuditRecord[] }) {
  return (
    <DataTable
      caption="Audit log"
      rows={records}
      keyOf={({ sequence }, at) => `${sequence ?? ''} ${at}`}
      empty="No such events"
      columns={[
        { title: 'Number', align: 'end' as const, cell: ({ sequence }) => sequence },
        { title: 'At', cell: ({ at }) => (at === undefined ? '' : <Time at={at} />) },
        {
          title: 'Action',
          cell: ({ action, fault }) => (fault === undefined ? action : <FaultyAction of={action} fault={fault} />),
        },
        { title: 'Outcome', cell: ({ outcome, error }) => [outcome, error].filter(Boolean).join(': ') },
        { title: 'Who', cell: ({ who, as }) => [nameOf(who), as && `as ${nameOf(as)}`].filter(Boolean).join(' ') },
        { title: 'In', cell: ({ place }) => [place?.namespace, place?.database].filter(Boolean).join('/') },
        { title: 'From', cell: ({ client }) => client?.ip ?? '' },
        { title: 'What', cell: ({ what }) => (what === undefined ? '' : <Value value={what} />) },
      ]}
    />
  );
}

function FaultyAction({ of: action = '', fault }: { readonly of?: string | undefined; readonly fault: string }) {
  return (
    <>
      {action} <strong>Not as it was written: {fault}</strong>
    </>
  );
}

function nameOf(actor: AuditRecord['who']): string {
  return actor?.name ?? actor?.id ?? actor?.kind ?? '';
}

function lastNumber(records: readonly AuditRecord[]): number | undefined {
  return records.findLast(({ sequence }) => sequence !== undefined)?.sequence;
}
