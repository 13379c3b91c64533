/** Parameters of a query: names, and values of a type, or in SurrealQL, that the server evaluates. */
import { Button, CloseButton } from '@mantine/core';
import { Field, SelectField } from '../../components/field.js';
import type { Connection } from '../../connection/connection.js';
import { identifier, textLiteral } from '../../connection/surrealql.js';
import { evaluate } from '../explore/typed-values.js';

/** What is typed for a value of each type, in SurrealQL: whatever the text is, it stays a text within it. */
const TYPES = {
  surrealql: { title: 'SurrealQL', write: (text: string) => text },
  text: { title: 'text', write: textLiteral },
  number: { title: 'number', write: (text: string) => `<number> ${textLiteral(text.trim())}` },
  bool: { title: 'true or false', write: (text: string) => `<bool> ${textLiteral(text.trim())}` },
  datetime: { title: 'datetime', write: (text: string) => `<datetime> ${textLiteral(text.trim())}` },
  duration: { title: 'duration', write: (text: string) => `<duration> ${textLiteral(text.trim())}` },
  uuid: { title: 'UUID', write: (text: string) => `<uuid> ${textLiteral(text.trim())}` },
  record: { title: 'record', write: (text: string) => `<record> ${textLiteral(text.trim())}` },
} as const satisfies Readonly<Record<string, { readonly title: string; write(text: string): string }>>;
export type ParameterType = keyof typeof TYPES;

const TYPE_TITLES = Object.fromEntries(Object.entries(TYPES).map(([type, { title }]) => [type, title])) as Readonly<
  Record<ParameterType, string>
>;

export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly text: string;
}

const NEW_PARAMETER: Parameter = { name: '', type: 'surrealql', text: '' };

interface Properties {
  readonly parameters: readonly Parameter[];
  onChange(parameters: readonly Parameter[]): void;
}

export function ParameterFields({ parameters, onChange }: Properties) {
  const change = (at: number, changed: Partial<Parameter>) =>
    onChange(parameters.map((parameter, index) => (index === at ? { ...parameter, ...changed } : parameter)));
  return (
    <div className="parameters">
      {parameters.map(({ name, type, text }, at) => (
        <div key={at} className="variable">
          <Field label={`Parameter ${at + 1}`} value={name} onChange={(changed) => change(at, { name: changed })} />
          <SelectField
            label={`Type of $${name}`}
            value={type}
            options={TYPE_TITLES}
            onChange={(chosen) => change(at, { type: chosen })}
          />
          <Field
            label={`Value of $${name}${type === 'surrealql' ? ' in SurrealQL' : ''}`}
            value={text}
            onChange={(changed) => change(at, { text: changed })}
          />
          <CloseButton
            aria-label={`Remove parameter ${at + 1}`}
            onClick={() => onChange(parameters.toSpliced(at, 1))}
          />
        </div>
      ))}
      <Button onClick={() => onChange([...parameters, NEW_PARAMETER])}>Add a parameter</Button>
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
    named.map(async ({ name, type, text }) => {
      const bare = name.replace(/^\$/, '');
      const { code } = await evaluate(connection, `$${bare}`, {
        manner: 'surrealql',
        text: TYPES[type].write(text),
      });
      return `LET $${identifier(bare)} = (${code}); `;
    }),
  );
}
