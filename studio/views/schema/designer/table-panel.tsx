/** A table beside the picture: what it is, and what is in it. */
import { Anchor, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { hrefOf } from '../../../base/route.js';
import { SelectField } from '../../../components/field.js';
import { SuggestionField } from '../../../components/suggestion-field.js';
import { useLoaded } from '../../../connection/use-loaded.js';
import { loadAccesses } from '../../people/accesses.js';
import { usersTableOf } from '../../people/users-table.js';
import { NEW_TABLE } from '../new-definitions.js';
import { TableFields } from '../table-fields.js';
import { conditionsFor } from './conditions.js';
import { type Designer, previewOf } from './designer.js';
import type { DraftTable } from './draft.js';
import type { SchemaEdit } from './edits.js';
import { PanelForm } from './panel-form.js';
import { ownerField, TABLE_RULES, type TableRuleName } from './table-rules.js';

interface Properties {
  readonly designer: Designer;
  readonly table: DraftTable;
}

export function TablePanel({ designer, table }: Properties) {
  const { name, before, edit } = table;
  const [choice, setChoice] = useState(table.choice);
  const changed: SchemaEdit = { kind: 'table', table: name, ...(before !== undefined && { before }), after: choice };
  const close = () => designer.select(undefined);
  return (
    <PanelForm
      title={`Table ${name}`}
      statements={previewOf(designer, [changed])}
      isIncomplete={false}
      isFixed={designer.isFixed || table.state === 'removed'}
      onKeep={() => {
        designer.stage([changed], edit);
        close();
      }}
      onRemove={() => {
        designer.stage([{ kind: 'table', table: name, ...(before !== undefined && { before }) }], edit);
        close();
      }}
      onClose={close}
      footer={<TableContent designer={designer} table={table} />}
    >
      <TableFields table={choice} isNamed conditions={conditionsFor(table)} onChange={setChoice} />
    </PanelForm>
  );
}

/** What is in a table, each to be opened. */
function TableContent({ designer, table }: Properties) {
  const { name, state, before, columns, indexes } = table;
  const { select, isFixed } = designer;
  return (
    <section aria-label={`Content of ${name}`} className="content">
      {before !== undefined && (
        <Group>
          <Anchor size="sm" href={hrefOf('explore', ['table', name])}>
            Rows
          </Anchor>
          <Anchor size="sm" href={hrefOf('schema', ['table', name])}>
            All that is defined in it
          </Anchor>
        </Group>
      )}
      <h3>Fields</h3>
      <ul>
        {columns.map((field) => (
          <li key={field.path}>
            <button type="button" className={field.state} onClick={() => select({ kind: 'field', table: name, field })}>
              {field.path} <span className="type">{field.choice.type}</span>
            </button>
          </li>
        ))}
      </ul>
      <h3>Indexes</h3>
      <ul>
        {indexes.map((index) => (
          <li key={index.name}>
            <button type="button" className={index.state} onClick={() => select({ kind: 'index', table: name, index })}>
              {index.name} <span className="type">{index.choice?.fields ?? index.before?.index}</span>
            </button>
          </li>
        ))}
      </ul>
      {!isFixed && state !== 'removed' && (
        <Group>
          <Button onClick={() => select({ kind: 'field', table: name })}>Add a field</Button>
          <Button onClick={() => select({ kind: 'index', table: name })}>Add an index</Button>
          <Button onClick={() => select({ kind: 'link', from: { table: name } })}>Add a link</Button>
        </Group>
      )}
    </section>
  );
}

const RULE_TITLES = Object.fromEntries(
  Object.entries(TABLE_RULES).map(([rule, { title }]) => [rule, title]),
) as Readonly<Record<TableRuleName, string>>;

export function NewTablePanel({ designer }: { readonly designer: Designer }) {
  const { connection, tables, stage, select } = designer;
  const [choice, setChoice] = useState(NEW_TABLE);
  const [rule, setRule] = useState<TableRuleName>('system');
  const [typedUsers, setUsers] = useState<string>();
  const known = useLoaded(async () => usersTables(connection), [connection]);
  const users = typedUsers ?? known.data?.[0] ?? '';
  const { isOwned } = TABLE_RULES[rule];
  const table = choice.name.trim();
  const edits: readonly SchemaEdit[] = [
    { kind: 'table', table, after: { ...choice, name: table } },
    ...(isOwned ? [{ kind: 'field', table, after: ownerField(users) } as const] : []),
  ];
  const isTaken = tables.some(({ name }) => name === table);
  return (
    <PanelForm
      title="New table"
      statements={previewOf(designer, edits)}
      isIncomplete={table === '' || isTaken}
      onKeep={() => {
        stage(edits);
        select({ kind: 'field', table });
      }}
      onClose={() => select(undefined)}
    >
      <SelectField<TableRuleName>
        label="Rule for users of the app"
        hint="Its permissions begin with it"
        value={rule}
        options={RULE_TITLES}
        onChange={(chosen) => {
          setRule(chosen);
          setChoice({ ...choice, permissions: TABLE_RULES[chosen].permissions });
        }}
      />
      {isOwned && (
        <SuggestionField
          label="Users are records of"
          hint="A field owner says whose a row is; empty: of any table"
          value={users}
          suggestions={known.data ?? []}
          onChange={setUsers}
        />
      )}
      <TableFields table={choice} onChange={setChoice} />
    </PanelForm>
  );
}

/** The tables whose records sign in. */
async function usersTables(connection: Designer['connection']): Promise<readonly string[]> {
  const accesses = await loadAccesses(connection);
  return accesses
    .flatMap(({ kind }) => (kind.kind === 'RECORD' ? [usersTableOf(kind)] : []))
    .filter((name) => name !== '');
}
