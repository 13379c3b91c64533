/** `WHERE a = 1 OR b = 2`: records by a scan of an index for each alternative. */
import type { FullTextScan, IndexAccess, IndexScan, UnionScan } from '../../../plan/nodes.js';
import type { Compiler } from '../../../runtime/frame.js';
import { narrowByFullTexts } from './full-text-scan.js';
import { compileIndexScans } from './index-ranges.js';
import type { Narrow } from './narrow.js';

/** Reads the records that indexes list for one alternative or another, each once. */
export function narrowByIndexes({ branches }: UnionScan, compiler: Compiler): Narrow {
  const texts = branches.filter(isFullText);
  const scans = branches.filter(isScan);
  if (texts.length === 0) return compileIndexScans(scans, compiler);
  return narrowByFullTexts(texts, scans.length === 0 ? undefined : compileIndexScans(scans, compiler), compiler);
}

function isFullText(branch: IndexAccess): branch is FullTextScan {
  return branch.kind === 'full-text-scan';
}

function isScan(branch: IndexAccess): branch is IndexScan {
  return branch.kind === 'index-scan';
}
