/** The entries of the form of a row: each a field, with how its value is written. */
import { type Editor, editorFor } from './editors.js';
import { evaluate, type TypedValue } from './typed-values.js';

/** How a value is written: as text, as SurrealQL, in the editor of its kind, which writes SurrealQL; or there is none. */
export type Manner = TypedValue['manner'] | 'editor' | 'none';

export interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly manner: Manner;
  readonly text: string;
  /** That of its kind, if there is one. */
  readonly editor: Editor | undefined;
}

/** How a value that has no editor of its own is typed, until another manner is chosen. */
export function mannerOf(kind: string): Manner {
  return /\b(string|any)\b/.test(kind) ? 'text' : 'surrealql';
}

/** A text has an editor only where it is one of several choices. */
export function entryOf(kind: string, value: TypedValue | undefined): Pick<Entry, 'manner' | 'text' | 'editor'> {
  if (value === undefined) return { manner: 'none', text: '', editor: editorFor(kind, '') };
  const { manner, text, code } = value;
  // What was typed and can't be shown by an editor stays as it was typed, such as `1 + 1`.
  const written = manner === 'text' ? code : text;
  const editor = editorFor(kind, written);
  return editor?.accepts(written) ? { manner: 'editor', text: written, editor } : { manner, text, editor: undefined };
}

export function isChanged(before: Entry | undefined, after: Entry): boolean {
  if (before?.text !== after.text) return true;
  return typeOf(before.manner) !== typeOf(after.manner);
}

function typeOf(manner: Manner): Manner {
  return manner === 'editor' ? 'surrealql' : manner;
}

/** @throws Error if it isn't what the editor expects, or the server can't evaluate it, with the name of the field */
export async function typedValueOf(source: Parameters<typeof evaluate>[0], entry: Entry): Promise<TypedValue> {
  const { name, manner, text, editor } = entry;
  if (manner === 'editor' && editor?.accepts(text) === false) throw new Error(`${name}: expected ${editor.expected}`);
  return evaluate(source, name, { manner: manner === 'text' ? 'text' : 'surrealql', text });
}
