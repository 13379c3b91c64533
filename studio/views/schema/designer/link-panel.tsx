/** A link to another table: a field that holds records of it, or a table of edges between the two. */
import { useState } from 'react';
import { Field, SelectField } from '../../../components/field.js';
import { identifier } from '../../../connection/surrealql.js';
import { NEW_FIELD, NEW_TABLE } from '../new-definitions.js';
import { type Designer, previewOf } from './designer.js';
import type { SchemaEdit } from './edits.js';
import { PanelForm } from './panel-form.js';
import type { LinkEnd } from './selection.js';

type Manner = 'field' | 'relation';
type Holds = 'one' | 'optional' | 'several';

const HOLDS: Readonly<Record<Holds, string>> = {
  optional: 'One record, or none',
  one: 'One record, always',
  several: 'Several records',
};

const TYPES: Readonly<Record<Holds, (table: string) => string>> = {
  one: (table) => `record<${table}>`,
  optional: (table) => `option<record<${table}>>`,
  several: (table) => `array<record<${table}>>`,
};

interface Properties {
  readonly designer: Designer;
  readonly from: LinkEnd;
  /** Absent: to be chosen. */
  readonly to: string | undefined;
}

export function LinkPanel({ designer, from, to }: Properties) {
  const { tables, stage, select } = designer;
  const { table, field } = from;
  const [target, setTarget] = useState(to ?? tables.find(({ name }) => name !== table)?.name ?? table);
  const [manner, setManner] = useState<Manner>('field');
  const [holds, setHolds] = useState<Holds>('optional');
  const [typed, setTyped] = useState<string>();
  const name = typed ?? (manner === 'field' ? target : `${table}_${target}`);
  const edit = editOf({ from, target, manner, holds, name: name.trim() });
  const isTaken =
    manner === 'relation'
      ? tables.some((other) => other.name === name.trim())
      : field === undefined && pathsOf(designer, table).includes(name.trim());
  const close = () => select(undefined);
  return (
    <PanelForm
      title={`Link from ${field === undefined ? table : `${table}.${field.path}`}`}
      statements={previewOf(designer, [edit])}
      isIncomplete={name.trim() === '' || isTaken}
      isFixed={designer.isFixed}
      onKeep={() => {
        stage([edit], field?.edit);
        close();
      }}
      onClose={close}
    >
      <SelectField
        label="To table"
        value={target}
        options={Object.fromEntries(tables.map((other) => [other.name, other.name]))}
        onChange={setTarget}
      />
      {field === undefined && (
        <SelectField<Manner>
          label="As"
          value={manner}
          options={{
            field: 'A field that holds the link',
            relation: 'A table of edges, which have fields of their own',
          }}
          onChange={setManner}
        />
      )}
      {manner === 'field' && <SelectField label="Holds" value={holds} options={HOLDS} onChange={setHolds} />}
      {field === undefined && (
        <Field
          label={manner === 'field' ? 'Name of the field' : 'Name of the table'}
          {...(isTaken && { hint: 'There is one of this name already' })}
          value={name}
          onChange={setTyped}
          required
        />
      )}
    </PanelForm>
  );
}

function pathsOf({ tables }: Designer, table: string): readonly string[] {
  return tables.find(({ name }) => name === table)?.columns.map(({ choice: { path } }) => path) ?? [];
}

interface LinkEntries {
  readonly from: LinkEnd;
  readonly target: string;
  readonly manner: Manner;
  readonly holds: Holds;
  readonly name: string;
}

function editOf({ from: { table, field }, target, manner, holds, name }: LinkEntries): SchemaEdit {
  if (manner === 'relation') {
    return { kind: 'table', table: name, after: { ...NEW_TABLE, name, kind: 'RELATION', from: table, to: target } };
  }
  const type = TYPES[holds](identifier(target));
  if (field === undefined) return { kind: 'field', table, after: { ...NEW_FIELD, path: name, type } };
  const { before, choice } = field;
  return { kind: 'field', table, ...(before !== undefined && { before }), after: { ...choice, type } };
}
