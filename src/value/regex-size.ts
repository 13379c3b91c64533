/** The size of a regular expression with its counted repetitions expanded, as its compiler does. */

/** A group that hasn't ended: what it is so far, and its last part, which a repetition would repeat. */
interface Group {
  size: number;
  last: number;
}

const COUNTED = /\{(\d{1,9})(,(\d{0,9}))?\}/y;

/**
 * An upper bound on the characters of `source` with `x{2,4}` written as `xx` and two optional `x`, whatever is nested.
 * It needs no valid pattern, and takes one pass.
 */
export function unfoldedSize(source: string): number {
  const groups: Group[] = [{ size: 0, last: 0 }];
  for (let at = 0; at < source.length; ) {
    const group = groups[groups.length - 1] as Group;
    const first = source[at];
    COUNTED.lastIndex = at;
    const counted = first === '{' ? COUNTED.exec(source) : null;
    if (counted !== null) {
      const [text, least, range, most] = counted;
      const times = Math.max(1, Number(range === undefined || most === '' ? least : most));
      group.size += group.last * (times - 1);
      group.last *= times;
      at += text.length;
    } else if (first === '(') {
      groups.push({ size: 1, last: 0 });
      at++;
    } else if (first === ')' && groups.length > 1) {
      groups.pop();
      const outer = groups[groups.length - 1] as Group;
      outer.size += group.size;
      outer.last = group.size;
      at++;
    } else {
      const length = first === '[' ? classLength(source, at) : first === '\\' ? escapeLength(source, at) : 1;
      group.size++;
      // What may be left out or come again is one with its mark.
      group.last = first === '*' || first === '+' || first === '?' ? group.last + 1 : 1;
      at += length;
    }
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

/** Of `[…]`, in which neither brackets that are escaped nor one at the beginning are its end. */
function classLength(source: string, start: number): number {
  let at = start + 1;
  if (source[at] === '^') at++;
  if (source[at] === ']') at++;
  while (at < source.length && source[at] !== ']') {
    const named = source.startsWith('[:', at) ? source.indexOf(':]', at) : -1;
    at = named < 0 ? at + (source[at] === '\\' ? 2 : 1) : named + 2;
  }
  return at + 1 - start;
}

/**
 * Of an escape with what stands in braces behind it, as in `\p{Greek}`; of others it is two, and what follows counts
 * for itself.
 */
function escapeLength(source: string, start: number): number {
  const braced = /[pPx]\{[^}]*\}/y;
  braced.lastIndex = start + 1;
  return 1 + (braced.exec(source)?.[0].length ?? 1);
}
