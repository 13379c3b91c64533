/** Range requests (RFC 9110, section 14). */

/** The bytes from an offset up to another (excluded). */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** More, or overlapping ones, aren't worth what they cost (section 17.15). */
const MOST_RANGES = 16;

const RANGES = /^bytes=([0-9,\- \t]*)$/i;
const RANGE = /^(\d{0,15})-(\d{0,15})$/;

/**
 * The ranges that a request asks for, of a file of a size.
 *
 *     readRanges('bytes=0-99', 1000)    // [{ from: 0, to: 100 }]
 *     readRanges('bytes=-100', 1000)    // [{ from: 900, to: 1000 }]
 *     readRanges('bytes=2000-', 1000)   // 'unsatisfiable'
 *
 * `undefined` where the whole file is to be sent: without the header, with another unit or a malformed one, and for
 * ranges that are too many or overlap.
 */
export function readRanges(
  header: string | undefined,
  size: number,
): readonly ByteRange[] | 'unsatisfiable' | undefined {
  const [, list] = RANGES.exec(header ?? '') ?? [];
  if (list === undefined) return undefined;
  const parts = list.split(',').map((part) => part.trim());
  const given = parts.filter((part) => part !== '');
  if (given.length === 0 || given.length > MOST_RANGES) return undefined;
  const ranges: ByteRange[] = [];
  for (const part of given) {
    const range = readRange(part, size);
    if (range === undefined) return undefined;
    if (range !== 'unsatisfiable') ranges.push(range);
  }
  if (ranges.length === 0) return 'unsatisfiable';
  return overlap(ranges) ? undefined : ranges;
}

function readRange(part: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = RANGE.exec(part) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? 'unsatisfiable' : { from: size - count, to: size };
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  const from = Number(first);
  return from >= size ? 'unsatisfiable' : { from, to: last === '' ? size : Math.min(Number(last) + 1, size) };
}

function overlap(ranges: readonly ByteRange[]): boolean {
  const sorted = ranges.toSorted((left, right) => left.from - right.from);
  return sorted.some(({ from }, index) => from < (sorted[index - 1]?.to ?? 0));
}

/** `bytes 0-99/1000`. */
export function contentRange({ from, to }: ByteRange, size: number): string {
  return `bytes ${from}-${to - 1}/${size}`;
}
