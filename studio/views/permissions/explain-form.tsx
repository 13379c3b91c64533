/** Which clause lets a user do something with a record or refuses it, in words (EXPLAIN PERMISSIONS). */

import { Button, Group, Stack } from '@mantine/core';
import { useId, useState } from 'react';
import type { RecordId } from 'surrealdb';
import { Field, SelectField } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';

type ExplainedAction = 'select' | 'update' | 'delete';
const ACTIONS: Readonly<Record<ExplainedAction, string>> = { select: 'select', update: 'update', delete: 'delete' };

const STATEMENTS: Readonly<Record<ExplainedAction, string>> = {
  select: 'SELECT * FROM type::record($record)',
  update: 'UPDATE type::record($record)',
  delete: 'DELETE type::record($record)',
};

/** What EXPLAIN PERMISSIONS gives of a table. */
interface Explained {
  readonly table: string;
  readonly action: string;
  readonly as?: RecordId | null;
  readonly clause: string;
  readonly admits: number;
  readonly fields: readonly { readonly field: string; readonly clause: string }[];
}

export function ExplainForm({ connection }: { readonly connection: Connection }) {
  const [action, setAction] = useState<ExplainedAction>('select');
  const [record, setRecord] = useState('');
  const [user, setUser] = useState('');
  const [answer, setAnswer] = useState<readonly string[]>();
  const [error, setError] = useState<Error>();
  const id = useId();
  const explain = () => {
    const as = user === '' ? '' : ' AS type::record($user)';
    setError(undefined);
    setAnswer(undefined);
    connection.query<[Explained[]]>(`EXPLAIN PERMISSIONS ${STATEMENTS[action]}${as}`, { record, user }).then(
      ([explained]) => setAnswer(explained.length === 0 ? [`There is no ${record}.`] : explained.flatMap(inWords)),
      (thrown: unknown) => setError(asError(thrown)),
    );
  };
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>Why a user may, or may not</h2>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          explain();
        }}
      >
        <Group align="end">
          <SelectField label="Action" value={action} options={ACTIONS} onChange={setAction} />
          <Field label="What record" placeholder="note:1" value={record} onChange={setRecord} required />
          <Field label="Record user, a guest if empty" placeholder="person:1" value={user} onChange={setUser} />
          <Button type="submit">Explain</Button>
        </Group>
        {error !== undefined && <Notice kind="error">{error.message}</Notice>}
        {answer !== undefined && (
          <ul aria-label="Explanation" aria-live="polite">
            {answer.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </Stack>
    </section>
  );
}

function inWords({ table, action, as, clause, admits, fields }: Explained): string[] {
  const who = as === undefined || as === null ? 'A guest' : as.toString();
  const isAdmitted = admits > 0;
  return [
    `${who} ${isAdmitted ? 'may' : 'may not'} ${action} it: the clause of ${table} is ${clause}` +
      `${clause.startsWith('WHERE') ? `, which is ${isAdmitted ? 'true' : 'not true'} of this record` : ''}.`,
    ...fields.map((field) => `The field ${field.field} is hidden: its clause is ${field.clause}.`),
  ];
}
