/** The variables that the SIGNIN of a record access reads: names and values, as many as it takes. */
import { Button, CloseButton, Fieldset, Group } from '@mantine/core';
import { Field } from '../components/field.js';

export interface Variable {
  readonly name: string;
  readonly value: string;
}

/** Names that most record accesses use. */
export const NO_VARIABLES: readonly Variable[] = [
  { name: 'email', value: '' },
  { name: 'password', value: '' },
];

/** Values of variables with such names are hidden while they are typed. */
const HIDDEN = /pass|secret|code|token|key|otp/i;

export function asVariables(variables: readonly Variable[]): Record<string, string> {
  return Object.fromEntries(variables.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));
}

interface Properties {
  readonly variables: readonly Variable[];
  onChange(variables: readonly Variable[]): void;
}

export function VariableFields({ variables, onChange }: Properties) {
  const change = (at: number, changed: Partial<Variable>) =>
    onChange(variables.map((variable, index) => (index === at ? { ...variable, ...changed } : variable)));
  return (
    <Fieldset legend="Variables of SIGNIN">
      {variables.map(({ name, value }, at) => (
        <div className="variable" key={at}>
          <Field label={`Variable ${at + 1}`} value={name} onChange={(changed) => change(at, { name: changed })} />
          <Field
            label={name === '' ? `Value ${at + 1}` : `Value of ${name}`}
            type={HIDDEN.test(name) ? 'password' : 'text'}
            value={value}
            onChange={(changed) => change(at, { value: changed })}
            autocomplete="off"
          />
          <CloseButton aria-label={`Remove variable ${at + 1}`} onClick={() => onChange(variables.toSpliced(at, 1))} />
        </div>
      ))}
      <Group>
        <Button onClick={() => onChange([...variables, { name: '', value: '' }])}>Add a variable</Button>
        <Button onClick={() => onChange([...variables, { name: 'code', value: '' }])}>Add a one-time code</Button>
      </Group>
    </Fieldset>
  );
}
