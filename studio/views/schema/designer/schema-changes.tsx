/** The edits of the schema that aren't saved yet, with their statements, run in one transaction or taken away as a migration. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { pendingList } from '../../../base/pending-changes.js';
import { ChangesBar } from '../../../components/changes-bar.js';
import { runTransaction } from '../../../connection/transaction.js';
import type { Designer } from './designer.js';
import { statementsOf } from './edit-statements.js';
import { describe, type SchemaEdit, withoutEdit } from './edits.js';
import { MigrationDialog } from './migration-dialog.js';
import type { Selection } from './selection.js';

/** Those of a connection. */
export const stagedEdits = pendingList<SchemaEdit>();

interface Properties {
  readonly designer: Designer;
  onSaved(): void;
}

export function SchemaChanges({ designer, onSaved }: Properties) {
  const { connection, edits } = designer;
  const [isMigrating, setMigrating] = useState(false);
  return (
    <>
      <ChangesBar
        pending={stagedEdits(connection)}
        describe={describe}
        statementsOf={(edit) => statementsOf(edit, designer)}
        isReviewed
        save={async (all) => {
          await runTransaction(
            connection,
            all.flatMap((edit) => statementsOf(edit, designer)),
          );
        }}
        onSaved={onSaved}
        without={withoutEdit}
        canReopen={({ after }) => after !== undefined}
        onReopen={(edit) => designer.select(selectionOf(edit, designer))}
      >
        <Button onClick={() => setMigrating(true)}>Save as migration</Button>
      </ChangesBar>
      {isMigrating && edits.length > 0 && (
        <MigrationDialog
          connection={connection}
          staged={designer}
          onApplied={() => {
            setMigrating(false);
            stagedEdits(connection).value = [];
            onSaved();
          }}
          onClose={() => setMigrating(false)}
        />
      )}
    </>
  );
}

/** What an edit is of, as the picture has it. */
function selectionOf(edit: SchemaEdit, { tables }: Designer): Selection | undefined {
  const table = tables.find(({ name }) => name === edit.table);
  if (edit.kind === 'table') return { kind: 'table', table: edit.table };
  if (edit.kind === 'field') {
    const field = table?.columns.find((one) => one.edit === edit);
    return field && { kind: 'field', table: edit.table, field };
  }
  const index = table?.indexes.find((one) => one.edit === edit);
  return index && { kind: 'index', table: edit.table, index };
}
