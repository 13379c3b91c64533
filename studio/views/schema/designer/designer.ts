/** What the parts of the designer share: the schema with what is staged for it, and what is open. */
import type { Connection } from '../../../connection/connection.js';
import type { DraftTable } from './draft.js';
import { type Staged, statementsOf } from './edit-statements.js';
import { type SchemaEdit, withEdit } from './edits.js';
import type { Selection } from './selection.js';

export interface Designer extends Staged {
  readonly connection: Connection;
  readonly tables: readonly DraftTable[];
  /** Whether nothing can be changed, as in a view of another user. */
  readonly isFixed: boolean;
  /** Stages edits; what is new takes the place of `replaced`. */
  stage(edits: readonly SchemaEdit[], replaced?: SchemaEdit): void;
  /** Opens something, or closes what is open. */
  select(selection: Selection | undefined): void;
}

/** The statements that edits make, once they are staged. */
export function previewOf({ schema, edits }: Staged, added: readonly SchemaEdit[]): readonly string[] {
  const staged = added.reduce((all, edit) => withEdit(all, edit), edits);
  return added.filter((edit) => staged.includes(edit)).flatMap((edit) => statementsOf(edit, { schema, edits: staged }));
}
