/** The changes of rows that aren't saved yet, each opened again in its form. */
import { useState } from 'react';
import { useStore } from '../../base/store.js';
import { ChangesBar } from '../../components/changes-bar.js';
import type { Connection } from '../../connection/connection.js';
import { describe, statementsOf } from './changes.js';
import { pendingChanges, saveChanges } from './pending-changes.js';
import { EditRow, NewRow } from './row-editors.js';

interface Properties {
  readonly connection: Connection;
  /** After they were saved. */
  onSaved(): void;
}

export function RowChanges({ connection, onSaved }: Properties) {
  const pending = pendingChanges(connection);
  const changes = useStore(pending);
  const [edited, setEdited] = useState<number>();
  const change = edited === undefined ? undefined : changes[edited];
  const close = () => setEdited(undefined);
  return (
    <>
      <ChangesBar
        pending={pending}
        describe={describe}
        statementsOf={statementsOf}
        save={(all) => saveChanges(connection, all)}
        onSaved={onSaved}
        canReopen={({ kind }) => kind !== 'delete'}
        onReopen={(_, at) => setEdited(at)}
      />
      {change?.kind === 'create' && (
        <NewRow
          connection={connection}
          creation={change}
          onDone={(creation) => {
            pending.value = changes.with(edited as number, creation);
          }}
          onClose={close}
        />
      )}
      {change?.kind === 'update' && <EditRow connection={connection} record={change.record} onClose={close} />}
    </>
  );
}
