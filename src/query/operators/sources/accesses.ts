/** Accesses, compiled: how an access and the values of its operands become the part of a table to be read. */
import type { Access } from '../../../plan/nodes.js';
import type { Compiler } from '../../../runtime/frame.js';
import { narrowByFullText } from './full-text-scan.js';
import { narrowByIndex } from './index-scan.js';
import { narrowByNearest } from './knn-scan.js';
import { narrowToRecords } from './list-lookup.js';
import { type Narrow, unlessFailing } from './narrow.js';
import { narrowToRecord } from './point-lookup.js';
import { narrowToRange } from './range-scan.js';
import { narrowToTable } from './table-scan.js';
import { narrowByIndexes } from './union-scan.js';

type ByKind = {
  readonly [Kind in Access['kind']]: (access: Extract<Access, { readonly kind: Kind }>, compiler: Compiler) => Narrow;
};

export const ACCESSES: ByKind = {
  'table-scan': narrowToTable,
  'point-lookup': narrowToRecord,
  'list-lookup': narrowToRecords,
  'range-scan': narrowToRange,
  'index-scan': narrowByIndex,
  'full-text-scan': narrowByFullText,
  'union-scan': narrowByIndexes,
  'knn-scan': narrowByNearest,
};

/** Compiles an access path to the function that narrows the table at run time. */
export function compileAccess(access: Access, compiler: Compiler): Narrow {
  const compile = ACCESSES[access.kind] as (access: Access, compiler: Compiler) => Narrow;
  const narrow = compile(access, compiler);
  // Without a search no condition would report the error.
  return access.kind === 'knn-scan' ? narrow : unlessFailing(narrow);
}
