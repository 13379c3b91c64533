/** One field of the form of a row: its value, and how it is written. */
import { SelectField, TextAreaField } from '../../components/field.js';
import type { Connection } from '../../connection/connection.js';
import { editorFor } from './editors.js';
import { type Entry, type Manner, mannerOf } from './entries.js';
import { ValueEditor } from './value-editor.js';

interface Properties {
  readonly connection: Connection;
  readonly entry: Entry;
  onChange(changed: Partial<Entry>): void;
}

const MANNERS: Readonly<Record<Exclude<Manner, 'editor'>, string>> = {
  text: 'Text',
  surrealql: 'SurrealQL',
  none: 'None',
};

export function EntryField({ connection, entry, onChange }: Properties) {
  const { name, kind, manner, text } = entry;
  // An editor that was emptied stays. What was typed as SurrealQL may have got one by now, or another one.
  const ofEntry = manner === 'editor' || manner === 'none' ? entry.editor : undefined;
  const editor = ofEntry ?? editorFor(kind, manner === 'none' ? '' : text);
  const options: Partial<Record<Manner, string>> = {
    ...(editor !== undefined && { editor: editor.title }),
    ...MANNERS,
  };
  return (
    <div className="entry">
      {editor !== undefined && (manner === 'editor' || manner === 'none') ? (
        <ValueEditor
          connection={connection}
          editor={editor.name}
          label={name}
          kind={kind}
          code={manner === 'none' ? '' : text}
          onChange={(code) => onChange({ text: code, editor, manner: code === '' ? 'none' : 'editor' })}
        />
      ) : (
        <TextAreaField
          label={name}
          hint={kind}
          rows={text.includes('\n') || text.length > 80 ? 5 : 1}
          value={manner === 'none' ? '' : text}
          onChange={(typed) => onChange({ text: typed, ...(manner === 'none' && { manner: mannerOf(kind) }) })}
        />
      )}
      <SelectField
        label={`How ${name} is written`}
        value={manner}
        options={options as Readonly<Record<Manner, string>>}
        onChange={(chosen) => onChange({ manner: chosen, editor })}
      />
    </div>
  );
}
