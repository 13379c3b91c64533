import type { UnionScan } from '../../plan/nodes.js';
import type { Compiler } from '../runtime/execution.js';
import { compileIndexScans } from './index-ranges.js';
import type { Narrow } from './narrow.js';

/** Reads the records that indexes list for one alternative or another, each once. */
export function narrowByIndexes({ branches }: UnionScan, compiler: Compiler): Narrow {
  return compileIndexScans(branches, compiler);
}
