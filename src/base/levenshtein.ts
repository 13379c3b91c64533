/** The Levenshtein distance: the least number of insertions, deletions and replacements. */
export function levenshtein<T extends number | string>(a: readonly T[], b: readonly T[]): number {
  const row = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    let diagonal = row[0] as number;
    row[0] = i + 1;
    for (let j = 0; j < b.length; j++) {
      const above = row[j + 1] as number;
      const replaced = diagonal + (a[i] === b[j] ? 0 : 1);
      row[j + 1] = Math.min(replaced, above + 1, (row[j] as number) + 1);
      diagonal = above;
    }
  }
  return row[b.length] as number;
}
