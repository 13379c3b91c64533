/** Rows in pieces. The peer takes much longer for one statement with many rows than for many with few. */
export function* batches(rows, size = 500) {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}
