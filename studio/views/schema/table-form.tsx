/** The dialog that defines a table. */
import { useState } from 'react';
import type { Connection } from '../../connection/connection.js';
import { defineTable } from '../../connection/statements.js';
import { NEW_TABLE } from './new-definitions.js';
import { StatementDialog } from './statement-dialog.js';
import { TableFields } from './table-fields.js';

interface Properties {
  readonly connection: Connection;
  onClose(): void;
  onDone(): void;
}

export function TableForm({ connection, onClose, onDone }: Properties) {
  const [table, setTable] = useState(NEW_TABLE);
  return (
    <StatementDialog
      title="New table"
      connection={connection}
      statement={defineTable(table)}
      isIncomplete={table.name === ''}
      action="Define"
      onClose={onClose}
      onDone={onDone}
    >
      <TableFields table={table} onChange={setTable} />
    </StatementDialog>
  );
}
