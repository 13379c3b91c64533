/** Links between records: edges, and reference fields. */
import type { FileReference, RecordId } from '../value/value.js';

/** Over the edges of one table to records of another. */
export interface Hop {
  readonly direction: 'out' | 'in';
  readonly edge: string;
  readonly ends: string;
}

export interface EdgeStep {
  readonly direction: 'out' | 'in' | 'both';
  /** Empty: every table. */
  readonly tables: readonly string[];
}

/** What a reference field refers to. */
export type Referent = RecordId | FileReference;

/** The references to follow back: those of a table's records, or of one of their fields. */
export interface ReferrerSubject {
  readonly table: string;
  readonly field?: string;
}

/** A record that refers to another, or to a file, by a field. */
export interface Referrer {
  readonly id: RecordId;
  readonly field: string;
}
