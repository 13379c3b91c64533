/** The dialog that defines a field of a table. */
import { useState } from 'react';
import type { Connection } from '../../connection/connection.js';
import { defineField } from '../../connection/statements.js';
import { FieldFields } from './field-fields.js';
import { NEW_FIELD } from './new-definitions.js';
import { StatementDialog } from './statement-dialog.js';

interface Properties {
  readonly connection: Connection;
  readonly table: string;
  onClose(): void;
  onDone(): void;
}

export function FieldForm({ connection, table, onClose, onDone }: Properties) {
  const [field, setField] = useState(NEW_FIELD);
  return (
    <StatementDialog
      title={`New field of ${table}`}
      connection={connection}
      statement={defineField(table, field)}
      isIncomplete={field.path === ''}
      action="Define"
      onClose={onClose}
      onDone={onDone}
    >
      <FieldFields field={field} onChange={setField} />
    </StatementDialog>
  );
}
