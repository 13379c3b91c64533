/** The dialog that defines an index of a table. */
import { useState } from 'react';
import type { Connection } from '../../connection/connection.js';
import { defineIndex } from '../../connection/statements.js';
import { IndexFields, isIncomplete } from './index-fields.js';
import { NEW_INDEX } from './new-definitions.js';
import { StatementDialog } from './statement-dialog.js';

interface Properties {
  readonly connection: Connection;
  readonly table: string;
  /** The paths of its fields. */
  readonly fields: readonly string[];
  onClose(): void;
  onDone(): void;
}

export function IndexForm({ connection, table, fields, onClose, onDone }: Properties) {
  const [index, setIndex] = useState(NEW_INDEX);
  return (
    <StatementDialog
      title={`New index of ${table}`}
      connection={connection}
      statement={defineIndex(table, index)}
      isIncomplete={isIncomplete(index)}
      action="Define"
      onClose={onClose}
      onDone={onDone}
    >
      <IndexFields index={index} fields={fields} onChange={setIndex} />
    </StatementDialog>
  );
}
