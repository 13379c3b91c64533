/** What the form of a field asks for. */
import { CheckboxField, Field } from '../../components/field.js';
import { SuggestionField } from '../../components/suggestion-field.js';
import type { FieldChoice } from '../../connection/statements.js';
import { PermissionFields } from './permission-fields.js';

const TYPES = ['any', 'string', 'int', 'float', 'decimal', 'bool', 'datetime', 'duration', 'uuid', 'bytes', 'object'];
const MORE_TYPES = ['option<string>', 'array<string>', 'set<string>', 'geometry', 'number', 'file', 'record'];

interface Properties {
  readonly field: FieldChoice;
  /** Types that are offered beside those of all databases, such as links to its tables. */
  readonly types?: readonly string[];
  /** Why the path stays as it is. */
  readonly fixedBecause?: string;
  /** Conditions that are offered for its permissions. */
  readonly conditions?: readonly string[];
  onChange(field: FieldChoice): void;
}

export function FieldFields({ field, types = ['record<table>'], fixedBecause, conditions = [], onChange }: Properties) {
  const change = (changed: Partial<FieldChoice>) => onChange({ ...field, ...changed });
  return (
    <>
      <Field
        label="Path"
        hint={fixedBecause ?? 'Dots lead into objects, * stands for the elements of an array: address.city, tags.*'}
        value={field.path}
        disabled={fixedBecause !== undefined}
        onChange={(path) => change({ path })}
        required
      />
      <div className="pairs">
        <SuggestionField
          label="Type"
          value={field.type}
          suggestions={[...TYPES, ...MORE_TYPES, ...types]}
          onChange={(type) => change({ type })}
        />
        <Field
          label="Default"
          hint="An expression: 'a text', time::now()"
          value={field.defaultValue}
          onChange={(defaultValue) => change({ defaultValue })}
        />
        <Field
          label="Assert"
          hint="A condition: $value > 0"
          value={field.assert}
          onChange={(assert) => change({ assert })}
        />
        <Field
          label="Value"
          hint="What is stored whatever is written: string::lowercase($value)"
          value={field.value}
          onChange={(value) => change({ value })}
        />
      </div>
      <CheckboxField
        label="Set once, with the record"
        checked={field.isReadonly}
        onChange={(isReadonly) => change({ isReadonly })}
      />
      {field.defaultValue !== '' && (
        <CheckboxField
          label="The default also takes the place of NONE later"
          checked={field.isAlwaysDefault}
          onChange={(isAlwaysDefault) => change({ isAlwaysDefault })}
        />
      )}
      <Field label="Comment" value={field.comment} onChange={(comment) => change({ comment })} />
      <PermissionFields
        permissions={field.permissions}
        conditions={conditions}
        onChange={(permissions) => change({ permissions })}
      />
    </>
  );
}
