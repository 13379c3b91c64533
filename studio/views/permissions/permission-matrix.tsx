/** Tables and actions, with the clause of each; beneath a table its fields that have clauses of their own. */
import { Group, Table, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { hrefOf } from '../../base/route.js';
import { ScrollingTable } from '../../components/data-table.js';
import { Failure } from '../../components/failure.js';
import { CheckboxField, SelectField } from '../../components/field.js';
import { Loading } from '../../components/loading.js';
import { NoTables } from '../../components/no-tables.js';
import type { Connection } from '../../connection/connection.js';
import { loadTableParts } from '../../connection/definitions.js';
import { ACTIONS, type Action, type Clause, type FieldParts, type TableParts } from '../../connection/table-parts.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { clauseFor, GROUPS, type UserGroup } from './rights.js';

export function PermissionMatrix({ connection }: { readonly connection: Connection }) {
  const { data, error } = useLoaded(() => loadTableParts(connection), [connection]);
  const [group, setGroup] = useState<UserGroup>('record');
  const [hasFields, setFields] = useState(true);
  if (error !== undefined) return <Failure error={error} seenBy="system users of the database" />;
  if (data === undefined) return <Loading />;
  if (data.length === 0) return <NoTables />;
  return (
    <>
      <Group align="end" mb="sm">
        <SelectField label="Who" value={group} options={GROUPS} onChange={setGroup} />
        <CheckboxField label="Fields with clauses of their own" checked={hasFields} onChange={setFields} />
      </Group>
      <ScrollingTable label="Permissions">
        <Table className="matrix">
          <VisuallyHidden component="caption">What {GROUPS[group]} may do with each table</VisuallyHidden>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Table</Table.Th>
              {ACTIONS.map((action) => (
                <Table.Th key={action} scope="col">
                  {action}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          {data.map((table) => (
            <TableRows key={table.name} table={table} group={group} hasFields={hasFields} />
          ))}
        </Table>
      </ScrollingTable>
    </>
  );
}

interface TableProperties {
  readonly table: TableParts;
  readonly group: UserGroup;
  readonly hasFields: boolean;
}

function TableRows({ table, group, hasFields }: TableProperties) {
  const fields = hasFields ? table.fields.filter(hasClause) : [];
  return (
    <Table.Tbody>
      <Table.Tr>
        <Table.Th scope="row">
          <a href={hrefOf('schema', ['table', table.name])}>{table.name}</a>
        </Table.Th>
        {ACTIONS.map((action) => (
          <Table.Td key={action}>
            <ClauseText clause={clauseFor(group, action, table.permissions[action])} />
          </Table.Td>
        ))}
      </Table.Tr>
      {fields.map((field) => (
        <Table.Tr key={field.name} className="of-field">
          <Table.Th scope="row">
            <VisuallyHidden>{table.name}: </VisuallyHidden>
            {field.name}
          </Table.Th>
          {ACTIONS.map((action) => (
            <Table.Td key={action}>
              <FieldClause field={field} group={group} action={action} />
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  );
}

function hasClause({ permissions }: FieldParts): boolean {
  return Object.values(permissions).some((clause) => clause !== true);
}

/** Fields aren't deleted by themselves. */
function FieldClause({
  field,
  group,
  action,
}: {
  readonly field: FieldParts;
  readonly group: UserGroup;
  readonly action: Action;
}) {
  const clause = field.permissions[action];
  if (clause === undefined) return null;
  const counting = clauseFor(group, action, clause);
  return counting === true ? (
    <Text span c="dimmed" size="sm">
      as the table
    </Text>
  ) : (
    <ClauseText clause={counting} />
  );
}

function ClauseText({ clause }: { readonly clause: Clause }) {
  if (clause === true) return <span className="full">FULL</span>;
  if (clause === false) return <span className="refused">NONE</span>;
  return <code>WHERE {clause}</code>;
}
