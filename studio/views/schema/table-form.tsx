/** The form that defines a table. */
import { useState } from 'react';
import { CheckboxField, Field, SelectField } from '../../components/field.js';
import type { Connection } from '../../connection/connection.js';
import { defineTable, type TableChoice } from '../../connection/statements.js';
import { PermissionFields } from './permission-fields.js';
import { StatementDialog } from './statement-dialog.js';

interface Properties {
  readonly connection: Connection;
  onClose(): void;
  onDone(): void;
}

const EMPTY: TableChoice = {
  name: '',
  kind: 'NORMAL',
  from: '',
  to: '',
  isSchemafull: true,
  comment: '',
  permissions: { select: 'NONE', create: 'NONE', update: 'NONE', delete: 'NONE' },
};

export function TableForm({ connection, onClose, onDone }: Properties) {
  const [table, setTable] = useState(EMPTY);
  const change = (changed: Partial<TableChoice>) => setTable({ ...table, ...changed });
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
      <div className="pairs">
        <Field label="Name" value={table.name} onChange={(name) => change({ name })} required />
        <SelectField
          label="Holds"
          value={table.kind}
          options={{ NORMAL: 'Records', RELATION: 'Edges between records', ANY: 'Both' }}
          onChange={(kind) => change({ kind })}
        />
        {table.kind === 'RELATION' && (
          <>
            <Field
              label="From tables"
              hint="With commas between; any if empty"
              value={table.from}
              onChange={(from) => change({ from })}
            />
            <Field
              label="To tables"
              hint="With commas between; any if empty"
              value={table.to}
              onChange={(to) => change({ to })}
            />
          </>
        )}
      </div>
      <CheckboxField
        label="Only defined fields"
        checked={table.isSchemafull}
        onChange={(isSchemafull) => change({ isSchemafull })}
      />
      <Field label="Comment" value={table.comment} onChange={(comment) => change({ comment })} />
      <PermissionFields permissions={table.permissions} onChange={(permissions) => change({ permissions })} />
    </StatementDialog>
  );
}
