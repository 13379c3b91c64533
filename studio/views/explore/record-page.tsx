/** One record: its values with all that is in them, what to change in it, and what it is connected with. */
import { useState } from 'preact/hooks';
import { type RecordId, StringRecordId } from 'surrealdb';
import { Button } from '../../components/button.js';
import { Loading, Notice } from '../../components/notice.js';
import { loadFields } from '../../connection/catalog.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { hrefOf } from '../../frame/route.js';
import { changeOf, pendingChanges, withChange, withUpdate } from './changes.js';
import { ChangesBar } from './changes-bar.js';
import { Neighbours } from './neighbours.js';
import { RowForm } from './row-form.js';
import type { Row } from './rows.js';
import { ValueTree } from './value-tree.js';

interface Properties {
  readonly connection: Connection;
  /** As text: `person:1`. */
  readonly id: string;
  /** After a record was changed or deleted. */
  onSaved(): void;
}

export function RecordPage({ connection, id, onSaved }: Properties) {
  const record = useLoaded(async () => {
    const [row] = await connection.query<[Row | null | undefined]>('SELECT * FROM ONLY $id', {
      id: new StringRecordId(id),
    });
    return row ?? null;
  }, [connection, id]);
  const row = record.data;
  if (record.error !== undefined) return <Notice kind="error">{record.error.message}</Notice>;
  if (row === undefined) return <Loading />;
  return (
    <section class="record-page" aria-label={`Record ${id}`}>
      {row === null ? (
        <>
          <h1>{id}</h1>
          <Notice kind="information">There is no such record, or you may not see it.</Notice>
        </>
      ) : (
        <RecordHead connection={connection} row={row} />
      )}
      <ChangesBar
        connection={connection}
        onSaved={() => {
          record.reload();
          onSaved();
        }}
      />
      {row !== null && (
        <>
          <ValueTree value={row} />
          <Neighbours key={id} connection={connection} row={row} />
        </>
      )}
    </section>
  );
}

/** The heading of the record, with its actions. */
function RecordHead({ connection, row }: { readonly connection: Connection; readonly row: Row }) {
  const [isEditing, setEditing] = useState(false);
  const table = tableOf(row.id);
  const fields = useLoaded(() => loadFields(connection, table), [connection, table]);
  const pending = pendingChanges(connection);
  const change = changeOf(pending.value, row.id);
  const title = row.id.toString();
  return (
    <header class="row spread">
      <h1>{title}</h1>
      <div class="row">
        <a href={hrefOf('explore', ['table', table])}>All of {table}</a>
        <Button disabled={change?.kind === 'delete' || fields.isLoading} onClick={() => setEditing(true)}>
          Edit
        </Button>
        <Button
          kind="danger"
          disabled={change?.kind === 'delete'}
          onClick={() => {
            pending.value = withChange(pending.value, { kind: 'delete', id: row.id });
          }}
        >
          Delete
        </Button>
      </div>
      {isEditing && (
        <RowForm
          connection={connection}
          title={title}
          fields={fields.data ?? []}
          content={change?.kind === 'update' ? withUpdate(row, change) : row}
          onDone={(set, unset) => {
            pending.value = withChange(pending.value, { kind: 'update', id: row.id, set, unset });
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </header>
  );
}

function tableOf(id: RecordId): string {
  return id.table.name;
}
