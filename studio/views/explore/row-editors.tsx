/** The forms of a new row, and of a record with what is pending for it. */
import { Dialog } from '../../components/dialog.js';
import { Loading } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { loadFields } from '../../connection/catalog.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { type Creation, changeOf, type RecordName, withChange, withUpdate } from './changes.js';
import { pendingChanges } from './pending-changes.js';
import { RowForm } from './row-form.js';
import { loadContent } from './typed-values.js';

interface NewRowProperties {
  readonly connection: Connection;
  /** As it was typed before, or empty. */
  readonly creation: Creation;
  /** With what was typed now. */
  onDone(creation: Creation): void;
  onClose(): void;
}

export function NewRow({ connection, creation, onDone, onClose }: NewRowProperties) {
  const { table, content, isRelation } = creation;
  const fields = useLoaded(() => loadFields(connection, table), [connection, table]);
  if (fields.isLoading) return null;
  return (
    <RowForm
      connection={connection}
      title={`New row in ${table}`}
      fields={fields.data ?? []}
      content={content}
      isNew
      names={isRelation ? ['in', 'out'] : []}
      onDone={(set, unset) => {
        const kept = Object.entries({ ...content, ...set }).filter(([name]) => !unset.includes(name));
        onDone({ ...creation, content: Object.fromEntries(kept) });
      }}
      onClose={onClose}
    />
  );
}

interface EditRowProperties {
  readonly connection: Connection;
  readonly record: RecordName;
  onClose(): void;
}

export function EditRow({ connection, record, onClose }: EditRowProperties) {
  const loaded = useLoaded(
    () => Promise.all([loadFields(connection, record.table), loadContent(connection, record.code)]),
    [connection, record.code],
  );
  if (loaded.error !== undefined) {
    return (
      <Dialog title={record.code} onClose={onClose}>
        <Notice kind="error">{loaded.error.message}</Notice>
      </Dialog>
    );
  }
  if (loaded.data === undefined) return <Loading />;
  const [fields, { content, tooLarge }] = loaded.data;
  const pending = pendingChanges(connection);
  const change = changeOf(pending.value, record);
  return (
    <RowForm
      connection={connection}
      title={record.code}
      fields={fields}
      tooLarge={tooLarge}
      content={change?.kind === 'update' ? withUpdate(content, change) : content}
      onDone={(set, unset) => {
        pending.value = withChange(pending.value, { kind: 'update', record, set, unset });
      }}
      onClose={onClose}
    />
  );
}
