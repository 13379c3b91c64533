/** Fields of forms, each with its label. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Labelled {
  readonly label: string;
  /** Said below the field: what is expected. */
  readonly hint?: string;
}

interface FieldProperties extends Labelled {
  readonly value: string;
  onChange(value: string): void;
  readonly type?: 'text' | 'password';
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  /** What is offered while one types. */
  readonly suggestions?: readonly string[];
  /** Whether one types here first, where the page consists of a form. */
  readonly isFirst?: boolean;
}

/** A line of text. */
export function Field({ label, hint, value, onChange, type = 'text', autocomplete, ...rest }: FieldProperties) {
  const id = useId();
  const { placeholder, required, disabled, suggestions, isFirst } = rest;
  const input = useRef<HTMLInputElement>(null);
  // Before it is painted: keys that are pressed at once come here.
  useLayoutEffect(() => {
    if (isFirst) input.current?.focus();
  }, []);
  const attributes = {
    id,
    ref: input,
    value,
    autocomplete: autocomplete ?? 'off',
    spellcheck: false,
    placeholder,
    required,
    disabled,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onInput: (event: InputEvent & { readonly currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  };
  return (
    <Labelling id={id} label={label} hint={hint}>
      {type === 'password' ? (
        <input type="password" {...attributes} />
      ) : (
        <input type="text" {...attributes} list={suggestions === undefined ? undefined : `${id}-suggestions`} />
      )}
      {suggestions !== undefined && (
        <datalist id={`${id}-suggestions`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </Labelling>
  );
}

interface TextAreaProperties extends Labelled {
  readonly value: string;
  onChange(value: string): void;
  readonly rows?: number;
  readonly disabled?: boolean;
}

/** Several lines of text. */
export function TextAreaField({ label, hint, value, onChange, rows = 6, disabled }: TextAreaProperties) {
  const id = useId();
  return (
    <Labelling id={id} label={label} hint={hint}>
      <textarea
        id={id}
        rows={rows}
        value={value}
        disabled={disabled}
        spellcheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Labelling>
  );
}

interface SelectProperties<Option extends string> extends Labelled {
  readonly value: Option;
  /** What each value is called. */
  readonly options: Readonly<Record<Option, string>>;
  onChange(value: Option): void;
  readonly disabled?: boolean;
}

/** One of several values. */
export function SelectField<Option extends string>(properties: SelectProperties<Option>) {
  const { label, hint, value, options, onChange, disabled } = properties;
  const id = useId();
  return (
    <Labelling id={id} label={label} hint={hint}>
      <select
        id={id}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.value as Option)}
      >
        {Object.entries<string>(options).map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    </Labelling>
  );
}

interface CheckboxProperties extends Labelled {
  readonly checked: boolean;
  onChange(checked: boolean): void;
  readonly disabled?: boolean;
}

export function CheckboxField({ label, checked, onChange, disabled }: CheckboxProperties) {
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}

interface LabellingProperties {
  readonly id: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly children: ComponentChildren;
}

function Labelling({ id, label, hint, children }: LabellingProperties) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}
