/** Tables and actions, with the clause of each; beneath a table its fields that have clauses of their own. */
import { useState } from 'preact/hooks';
import { hrefOf } from '../../base/route.js';
import { Failure } from '../../components/failure.js';
import { CheckboxField, SelectField } from '../../components/field.js';
import { Loading } from '../../components/notice.js';
import type { Connection } from '../../connection/connection.js';
import {
  ACTIONS,
  type Action,
  type Clause,
  type FieldParts,
  loadTableParts,
  type TableParts,
} from '../../connection/definitions.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { clauseFor, GROUPS, type Group } from './rights.js';

export function PermissionMatrix({ connection }: { readonly connection: Connection }) {
  const { data, error } = useLoaded(() => loadTableParts(connection), [connection]);
  const [group, setGroup] = useState<Group>('record');
  const [hasFields, setFields] = useState(true);
  if (error !== undefined) return <Failure error={error} seenBy="system users of the database" />;
  if (data === undefined) return <Loading />;
  if (data.length === 0) return <p class="empty">There are no tables</p>;
  return (
    <>
      <div class="row fields">
        <SelectField label="Who" value={group} options={GROUPS} onChange={setGroup} />
        <CheckboxField label="Fields with clauses of their own" checked={hasFields} onChange={setFields} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section class="scrolling" aria-label="Permissions" tabIndex={0}>
        <table class="matrix">
          <caption class="unseen">What {GROUPS[group]} may do with each table</caption>
          <thead>
            <tr>
              <th scope="col">Table</th>
              {ACTIONS.map((action) => (
                <th key={action} scope="col">
                  {action}
                </th>
              ))}
            </tr>
          </thead>
          {data.map((table) => (
            <TableRows key={table.name} table={table} group={group} hasFields={hasFields} />
          ))}
        </table>
      </section>
    </>
  );
}

interface TableProperties {
  readonly table: TableParts;
  readonly group: Group;
  readonly hasFields: boolean;
}

function TableRows({ table, group, hasFields }: TableProperties) {
  const fields = hasFields ? table.fields.filter(hasClause) : [];
  return (
    <tbody>
      <tr>
        <th scope="row">
          <a href={hrefOf('schema', ['table', table.name])}>{table.name}</a>
        </th>
        {ACTIONS.map((action) => (
          <td key={action}>
            <ClauseText clause={clauseFor(group, action, table.permissions[action])} />
          </td>
        ))}
      </tr>
      {fields.map((field) => (
        <tr key={field.name} class="of-field">
          <th scope="row">
            <span class="unseen">{table.name}: </span>
            {field.name}
          </th>
          {ACTIONS.map((action) => (
            <td key={action}>
              <FieldClause field={field} group={group} action={action} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
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
  readonly group: Group;
  readonly action: Action;
}) {
  const clause = field.permissions[action];
  if (clause === undefined) return null;
  const counting = clauseFor(group, action, clause);
  return counting === true ? <span class="muted">as the table</span> : <ClauseText clause={counting} />;
}

function ClauseText({ clause }: { readonly clause: Clause }) {
  if (clause === true) return <span class="full">FULL</span>;
  if (clause === false) return <span class="refused">NONE</span>;
  return <code>WHERE {clause}</code>;
}
