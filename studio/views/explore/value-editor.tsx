/** The editor of a value of a known kind: it takes and gives the code of the value, empty for none. */
import { TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Field, SelectField } from '../../components/field.js';
import { Loading } from '../../components/loading.js';
import type { Connection } from '../../connection/connection.js';
import { choicesOf, fileBuckets, linkedTables, nameOf } from '../../connection/kinds.js';
import { type EditorName, numberCode, shownNumber, shownTime, timeCode } from './editors.js';
import { RecordPicker } from './record-picker.js';

/** Loaded with the first field that holds a file. */
const FilePicker = lazy(async () => ({ default: (await import('../files/file-picker.js')).FilePicker }));

interface Properties {
  readonly connection: Connection;
  readonly editor: EditorName;
  readonly label: string;
  readonly kind: string;
  readonly code: string;
  onChange(code: string): void;
}

export function ValueEditor({ connection, editor, label, kind, code, onChange }: Properties) {
  const shared = { label, hint: kind };
  switch (editor) {
    case 'bool':
      return (
        <SelectField {...shared} value={code} options={{ '': '—', true: 'true', false: 'false' }} onChange={onChange} />
      );
    case 'choice': {
      const choices = Object.fromEntries(choicesOf(kind).map((choice) => [choice, choice]));
      return <SelectField {...shared} value={code} options={{ '': '—', ...choices }} onChange={onChange} />;
    }
    case 'link':
      return (
        <RecordPicker
          {...shared}
          connection={connection}
          tables={linkedTables(kind)}
          value={code}
          onChange={onChange}
        />
      );
    case 'file':
      return (
        <Suspense fallback={<Loading />}>
          <FilePicker
            {...shared}
            connection={connection}
            buckets={fileBuckets(kind).map(nameOf)}
            code={code}
            onChange={onChange}
          />
        </Suspense>
      );
    case 'datetime':
      return <TimeField {...shared} code={code} onChange={onChange} />;
    case 'duration':
      return <Field {...shared} value={code} onChange={onChange} />;
    default:
      return (
        <Field
          {...shared}
          value={shownNumber(editor, code)}
          onChange={(shown) => onChange(numberCode(editor, shown))}
        />
      );
  }
}

interface TimeProperties {
  readonly label: string;
  readonly hint: string;
  readonly code: string;
  onChange(code: string): void;
}

/** To the second; a fraction of it stays as it was. */
function TimeField({ label, hint, code, onChange }: TimeProperties) {
  const [fraction] = useState(() => shownTime(code).fraction);
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      description={`${hint}, in UTC${fraction === '' ? '' : `, and ${fraction} of a second, which stays`}`}
      value={shownTime(code).time}
      onChange={(event) => onChange(timeCode(event.currentTarget.value, fraction))}
    />
  );
}
