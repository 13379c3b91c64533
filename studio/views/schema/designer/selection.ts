/** What of the schema is open beside the picture. */
import type { DraftField, DraftIndex } from './draft.js';

export type Selection =
  | { readonly kind: 'table' /** Absent: a new one. */; readonly table?: string }
  | { readonly kind: 'field'; readonly table: string; readonly field?: DraftField }
  | { readonly kind: 'index'; readonly table: string; readonly index?: DraftIndex }
  | { readonly kind: 'link'; readonly from: LinkEnd /** Absent: to be chosen. */; readonly to?: string };

/** Where a link begins: at a field, or at its table as a whole. */
export interface LinkEnd {
  readonly table: string;
  readonly field?: DraftField;
}
