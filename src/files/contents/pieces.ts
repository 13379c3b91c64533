/** Cuts a stream of bytes into pieces of one size, and writes them. */

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

/**
 * Writes one after the other; the next one comes meanwhile. Nothing is being written any longer once it settles.
 * @throws what `pieces` throws, or `write`
 */
export async function writeBehind<T>(pieces: AsyncIterable<T>, write: (piece: T) => Promise<unknown>): Promise<void> {
  let written: Promise<unknown> = Promise.resolve();
  try {
    for await (const piece of pieces) {
      await written;
      written = write(piece);
      // What fails is thrown where it is waited for.
      written.catch(() => undefined);
    }
  } catch (error) {
    await written.catch(() => undefined);
    throw error;
  }
  await written;
}
