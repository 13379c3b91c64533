/** Files of buckets for programs in process, as streams. */
import { invariant } from '../base/invariant.js';
import type { Session } from '../session/contract.js';
import { FileReference, type ObjectValue, objectFrom } from '../value/value.js';

/** What a file is read from: a stream of Node or of the web, or bytes that are there. */
export type FileSource = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | Uint8Array;

/** A file that is open for reading. */
export interface EmbeddedFile {
  /** What `file::head` shows: `size`, `type`, `version` and so on. */
  readonly facts: ObjectValue;
  /**
   * The bytes from an offset up to another (excluded); all of them by default.
   * @throws TesseraError `bucket_store`, from the stream
   */
  stream(from?: number, to?: number): ReadableStream<Uint8Array>;
}

/** Opens a file; `undefined` if there is none. */
export async function openEmbedded(session: Session, bucket: string, key: string): Promise<EmbeddedFile | undefined> {
  const file = await session.openFile(FileReference.of(bucket, key));
  if (file === undefined) return undefined;
  return {
    facts: file.facts,
    stream: (from = 0, to = file.size) => streamOf(file.read(from, Math.min(to, file.size))),
  };
}

/** Puts a file, once all of its bytes have come. */
export async function putEmbedded(
  session: Session,
  bucket: string,
  key: string,
  source: FileSource,
  type: string | undefined,
): Promise<void> {
  const file = FileReference.of(bucket, key);
  const upload = await session.uploadFile(file, type);
  const name = await upload.store(source instanceof Uint8Array ? inOnePiece(source) : source);
  const options = objectFrom({ upload: name, ...(type !== undefined && { type }) });
  const variables = objectFrom({ file, options });
  const [result] = await session.query('file::put($file, NONE, $options)', variables);
  invariant(result !== undefined, 'a statement has a result');
  if (!result.outcome.ok) throw result.outcome.error;
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A stream that reads on when it is asked for more. */
function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.(undefined);
    },
  });
}
