/** The part of a table that an access path leaves to be read: the result of every such path. */
import { otherwise, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../../catalog/definitions/database-catalog.js';
import type { Direction } from '../../../plan/nodes.js';
import { isQueryError } from '../../../runtime/authorization/error-redaction.js';
import type { Candidates } from '../../../runtime/candidates.js';
import type { Frame } from '../../../runtime/frame.js';
import type { Key, KeyRange } from '../../../storage/contract.js';
import type { Value } from '../../../value/value.js';
import type { Demand } from '../operator.js';

/** A part of a table that contains all records that can meet the condition. */
export type Narrowed =
  | { readonly kind: 'record'; readonly id: Value }
  /** Records of the table by their keys, ascending, each once. */
  | { readonly kind: 'records'; readonly keys: readonly Key[] }
  /** The table, or some of its keys. */
  | { readonly kind: 'table'; readonly keys?: KeyRange; readonly direction?: Direction }
  /** Of the keys of an index. */
  | { readonly kind: 'index'; readonly ranges: readonly KeyRange[]; readonly direction?: Direction }
  /** Candidates of an index in its own order; with a direction if that is the requested order. */
  | { readonly kind: 'candidates'; readonly candidates: Candidates; readonly direction?: Direction };

/** The part of a table that is read; `undefined` for the whole of it. */
export type Narrow = (
  frame: Frame,
  catalog: DatabaseCatalog,
  entry: TableEntry,
  demand?: Demand,
) => PromiseOrValue<Narrowed | undefined>;

/**
 * If a value can't be computed, the whole table is read, and the condition or the clause handles the error record by
 * record.
 */
export function unlessFailing<Args extends readonly unknown[], T>(
  work: (...args: Args) => PromiseOrValue<T | undefined>,
): (...args: Args) => PromiseOrValue<T | undefined> {
  return (...args) =>
    otherwise<T | undefined>(
      () => work(...args),
      (error) => {
        if (isQueryError(error)) return undefined;
        throw error;
      },
    );
}
