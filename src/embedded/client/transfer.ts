/** The streams of export and import in the official client's form. */

/** A response whose body is read as fast as its consumer reads. */
export function streamedResponse(pieces: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

/** The text of an import in pieces; bytes are decoded as UTF-8. */
export async function* chunksOf(data: string | Blob | ReadableStream): AsyncGenerator<string> {
  if (typeof data === 'string') {
    yield data;
    return;
  }
  const decoder = new TextDecoder();
  const chunks: AsyncIterable<string | Uint8Array> = data instanceof Blob ? data.stream() : data;
  for await (const chunk of chunks) yield typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
