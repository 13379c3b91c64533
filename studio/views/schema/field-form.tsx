/** The form that defines a field of a table. */
import { useState } from 'react';
import { CheckboxField, Field } from '../../components/field.js';
import { SuggestionField } from '../../components/suggestion-field.js';
import type { Connection } from '../../connection/connection.js';
import { defineField, type FieldChoice } from '../../connection/statements.js';
import { PermissionFields } from './permission-fields.js';
import { StatementDialog } from './statement-dialog.js';

interface Properties {
  readonly connection: Connection;
  readonly table: string;
  onClose(): void;
  onDone(): void;
}

const EMPTY: FieldChoice = {
  path: '',
  type: 'string',
  defaultValue: '',
  value: '',
  assert: '',
  isReadonly: false,
  comment: '',
  permissions: { select: 'FULL', create: 'FULL', update: 'FULL' },
};

const TYPES = ['any', 'string', 'int', 'float', 'decimal', 'bool', 'datetime', 'duration', 'uuid', 'bytes', 'object'];
const MORE_TYPES = ['option<string>', 'array<string>', 'set<string>', 'record<table>', 'geometry', 'number'];

export function FieldForm({ connection, table, onClose, onDone }: Properties) {
  const [field, setField] = useState(EMPTY);
  const change = (changed: Partial<FieldChoice>) => setField({ ...field, ...changed });
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
      <Field
        label="Path"
        hint="Dots lead into objects, * stands for the elements of an array: address.city, tags.*"
        value={field.path}
        onChange={(path) => change({ path })}
        required
      />
      <div className="pairs">
        <SuggestionField
          label="Type"
          value={field.type}
          suggestions={[...TYPES, ...MORE_TYPES]}
          onChange={(type) => change({ type })}
        />
        <Field
          label="Default"
          hint="An expression: 'a text', time::now()"
          value={field.defaultValue}
          onChange={(defaultValue) => change({ defaultValue })}
        />
        <Field
          label="Assert"
          hint="A condition: $value > 0"
          value={field.assert}
          onChange={(assert) => change({ assert })}
        />
        <Field
          label="Value"
          hint="What is stored whatever is written: string::lowercase($value)"
          value={field.value}
          onChange={(value) => change({ value })}
        />
      </div>
      <CheckboxField
        label="Set once, with the record"
        checked={field.isReadonly}
        onChange={(isReadonly) => change({ isReadonly })}
      />
      <Field label="Comment" value={field.comment} onChange={(comment) => change({ comment })} />
      <PermissionFields permissions={field.permissions} onChange={(permissions) => change({ permissions })} />
    </StatementDialog>
  );
}
