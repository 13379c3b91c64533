/** What the form of a table asks for. */
import { CheckboxField, Field, SelectField } from '../../components/field.js';
import type { TableChoice } from '../../connection/statements.js';
import { PermissionFields } from './permission-fields.js';

interface Properties {
  readonly table: TableChoice;
  /** Whether its name stays. */
  readonly isNamed?: boolean;
  /** Conditions that are offered for its permissions. */
  readonly conditions?: readonly string[];
  onChange(table: TableChoice): void;
}

export function TableFields({ table, isNamed = false, conditions = [], onChange }: Properties) {
  const change = (changed: Partial<TableChoice>) => onChange({ ...table, ...changed });
  return (
    <>
      <div className="pairs">
        <Field label="Name" value={table.name} disabled={isNamed} onChange={(name) => change({ name })} required />
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
      {table.kind === 'RELATION' && (
        <CheckboxField
          label="The records at both ends have to be there"
          checked={table.isEnforced}
          onChange={(isEnforced) => change({ isEnforced })}
        />
      )}
      <CheckboxField
        label="Only defined fields"
        checked={table.isSchemafull}
        onChange={(isSchemafull) => change({ isSchemafull })}
      />
      <Field label="Comment" value={table.comment} onChange={(comment) => change({ comment })} />
      <PermissionFields
        permissions={table.permissions}
        conditions={conditions}
        onChange={(permissions) => change({ permissions })}
      />
    </>
  );
}
