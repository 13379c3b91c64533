/** Parameters of a query: names, and values in SurrealQL that the server evaluates. */
import { Button, CloseButton } from '@mantine/core';
import { Field } from '../../components/field.js';
import type { Connection } from '../../connection/connection.js';
import { identifier } from '../../connection/surrealql.js';
import { evaluate } from '../explore/typed-values.js';

export interface Parameter {
  readonly name: string;
  readonly text: string;
}

interface Properties {
  readonly parameters: readonly Parameter[];
  onChange(parameters: readonly Parameter[]): void;
}

export function ParameterFields({ parameters, onChange }: Properties) {
  const change = (at: number, changed: Partial<Parameter>) =>
    onChange(parameters.map((parameter, index) => (index === at ? { ...parameter, ...changed } : parameter)));
  return (
    <div className="parameters">
      {parameters.map(({ name, text }, at) => (
        <div key={at} className="variable">
          <Field label={`Parameter ${at + 1}`} value={name} onChange={(changed) => change(at, { name: changed })} />
          <Field
            label={`Value of $${name} in SurrealQL`}
            value={text}
            onChange={(changed) => change(at, { text: changed })}
          />
          <CloseButton
            aria-label={`Remove parameter ${at + 1}`}
            onClick={() => onChange(parameters.toSpliced(at, 1))}
          />
        </div>
      ))}
      <Button onClick={() => onChange([...parameters, { name: '', text: '' }])}>Add a parameter</Button>
    </div>
  );
}

/**
 * A LET statement for each parameter, by the code of its value: a page knows fewer kinds of values than the server does.
 * @throws Error for one that the server can't evaluate
 */
export async function definitionsOf(connection: Connection, parameters: readonly Parameter[]): Promise<string[]> {
  const named = parameters.filter(({ name }) => name !== '');
  return Promise.all(
    named.map(async ({ name, text }) => {
      const bare = name.replace(/^\$/, '');
      const { code } = await evaluate(connection, `$${bare}`, { manner: 'surrealql', text });
      return `LET $${identifier(bare)} = (${code}); `;
    }),
  );
}
