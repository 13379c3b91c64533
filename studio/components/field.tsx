/** Fields of forms, each with its label: those of the library, with the value rather than the event. */
import { Checkbox, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core';

interface Labelled {
  readonly label: string;
  /** Said below the label: what is expected. */
  readonly hint?: string;
  readonly disabled?: boolean;
}

export interface FieldProperties extends Labelled {
  readonly value: string;
  onChange(value: string): void;
  readonly type?: 'text' | 'password';
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  /** Whether one types here first, where the page consists of a form. */
  readonly isFirst?: boolean;
}

/** A line of text. */
export function Field(properties: FieldProperties) {
  const { hint, onChange, type = 'text', autocomplete = 'off', isFirst = false, ...rest } = properties;
  const Input = type === 'password' ? PasswordInput : TextInput;
  return (
    <Input
      {...rest}
      {...(hint !== undefined && { description: hint })}
      autoComplete={autocomplete}
      autoFocus={isFirst}
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface TextAreaProperties extends Labelled {
  readonly value: string;
  onChange(value: string): void;
  readonly rows?: number;
}

/** Several lines of text. */
export function TextAreaField({ hint, onChange, rows = 6, ...rest }: TextAreaProperties) {
  return (
    <Textarea
      {...rest}
      {...(hint !== undefined && { description: hint })}
      classNames={{ input: 'mono' }}
      rows={rows}
      resize="vertical"
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface SelectProperties<Option extends string> extends Labelled {
  readonly value: Option;
  /** What each value is called. */
  readonly options: Readonly<Record<Option, string>>;
  onChange(value: Option): void;
}

/** One of several values. */
export function SelectField<Option extends string>(properties: SelectProperties<Option>) {
  const { hint, options, onChange, ...rest } = properties;
  return (
    <NativeSelect
      {...rest}
      {...(hint !== undefined && { description: hint })}
      data={Object.entries<string>(options).map(([value, label]) => ({ value, label }))}
      onChange={(event) => onChange(event.currentTarget.value as Option)}
    />
  );
}

interface CheckboxProperties extends Labelled {
  readonly checked: boolean;
  onChange(checked: boolean): void;
}

export function CheckboxField({ hint, onChange, ...rest }: CheckboxProperties) {
  return (
    <Checkbox
      {...rest}
      {...(hint !== undefined && { description: hint })}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
