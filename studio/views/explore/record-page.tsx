/** One record: its values with all that is in them, what to change in it, and what it is connected with. */
import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { StringRecordId } from 'surrealdb';
import { hrefOf } from '../../base/route.js';
import { useStore } from '../../base/store.js';
import { Loading } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { PageHeader } from '../../components/page-header.js';
import { ValueTree } from '../../components/value-tree.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { changeOf, type RecordName, withChange } from './changes.js';
import { Neighbours } from './neighbours.js';
import { pendingChanges } from './pending-changes.js';
import { History } from './record/history.js';
import { LinkedFrom } from './record/linked-from.js';
import { RowChanges } from './row-changes.js';
import { EditRow } from './row-editors.js';
import type { Row } from './rows.js';

interface Properties {
  readonly connection: Connection;
  /** As text: `person:1`. */
  readonly id: string;
  /** After a record was changed or deleted. */
  onSaved(): void;
}

export function RecordPage({ connection, id, onSaved }: Properties) {
  const record = useLoaded(async () => {
    const [row, code, table] = await connection.query<[Row | null | undefined, string, string]>(
      'SELECT * FROM ONLY $id; RETURN value::quote($id); RETURN record::tb($id)',
      { id: new StringRecordId(id) },
    );
    return { row: row ?? null, name: { table, code } };
  }, [connection, id]);
  if (record.error !== undefined) return <Notice kind="error">{record.error.message}</Notice>;
  if (record.data === undefined) return <Loading />;
  const { row, name } = record.data;
  return (
    <section className="record-page" aria-label={`Record ${id}`}>
      {row === null ? (
        <>
          <PageHeader title={id} />
          <Notice kind="information">There is no such record, or you may not see it.</Notice>
        </>
      ) : (
        <RecordHead connection={connection} record={name} />
      )}
      <RowChanges
        connection={connection}
        onSaved={() => {
          record.reload();
          onSaved();
        }}
      />
      {row !== null && (
        <>
          <ValueTree value={idFirst(row)} />
          <Neighbours key={id} connection={connection} row={row} />
          <LinkedFrom connection={connection} record={name} />
        </>
      )}
      <History key={name.code} connection={connection} record={name} />
    </section>
  );
}

/** The heading of the record, with its actions. */
function RecordHead({ connection, record }: { readonly connection: Connection; readonly record: RecordName }) {
  const [isEditing, setEditing] = useState(false);
  const { table, code } = record;
  const pending = pendingChanges(connection);
  const change = changeOf(useStore(pending), record);
  const isFixed = connection.viewed !== undefined || change?.kind === 'delete';
  return (
    <PageHeader title={code}>
      <Anchor size="sm" href={hrefOf('explore', ['table', table])}>
        All of {table}
      </Anchor>
      <Button disabled={isFixed} onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Button
        variant="outline"
        color="red"
        disabled={isFixed}
        onClick={() => {
          pending.value = withChange(pending.value, { kind: 'delete', record });
        }}
      >
        Delete
      </Button>
      {isEditing && <EditRow connection={connection} record={record} onClose={() => setEditing(false)} />}
    </PageHeader>
  );
}

function idFirst({ id, ...rest }: Row): Row {
  return { id, ...rest };
}
