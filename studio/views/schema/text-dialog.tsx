/** Any definition as text. */
import { useState } from 'react';
import { TextAreaField } from '../../components/field.js';
import type { Connection } from '../../connection/connection.js';
import { StatementDialog } from './statement-dialog.js';

interface Properties {
  readonly title: string;
  readonly connection: Connection;
  /** What stands there at first. */
  readonly statement: string;
  onClose(): void;
  onDone(): void;
}

export function TextDialog({ title, connection, statement, onClose, onDone }: Properties) {
  const [text, setText] = useState(statement);
  return (
    <StatementDialog
      title={title}
      connection={connection}
      statement={text}
      isIncomplete={text.trim() === ''}
      action="Run"
      isEditor
      onClose={onClose}
      onDone={onDone}
    >
      <TextAreaField label="Statement" value={text} onChange={setText} rows={10} />
    </StatementDialog>
  );
}
