/** Records by one range of an index, or several. */
import type { IndexScan } from '../../../plan/nodes.js';
import type { Compiler } from '../../../runtime/frame.js';
import { compileIndexScans } from './index-ranges.js';
import type { Narrow } from './narrow.js';

/** Reads the records that one part of an index lists. */
export function narrowByIndex(scan: IndexScan, compiler: Compiler): Narrow {
  return compileIndexScans([scan], compiler, scan.direction);
}
