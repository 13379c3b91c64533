/** Cuts a stream of bytes into pieces of one size. */

/** The same bytes in pieces of `size`, but for the last one, which may be shorter; none if there are no bytes. */
export async function* equalPieces(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(size);
  let filled = 0;
  for await (const given of bytes) {
    for (let at = 0; at < given.length; ) {
      const part = given.subarray(at, at + size - filled);
      piece.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < size) continue;
      yield piece;
      piece = new Uint8Array(size);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.slice(0, filled);
}
