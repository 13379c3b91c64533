/** The contract of what keeps the bytes of files. */

/**
 * Contents, each under an id, which never change: a file that is replaced gets another content. So a reader sees the
 * bytes of one version, and the transaction that puts a file needs only to name its content.
 */
export interface Contents {
  /**
   * Stores what comes. It resolves once all bytes are durable, as far as the backend is; no file gets the id before.
   * A write that fails has left at most what `delete` removes.
   */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes from an offset up to another (excluded), in pieces. @throws TesseraError `bucket_store` */
  read(id: string, from: number, to: number): AsyncIterable<Uint8Array>;
  /** No effect where there is none. */
  delete(id: string): Promise<void>;
  /** The ids of all contents, in any order. */
  list(): AsyncIterable<string>;
  /** Deletes all of them, and whatever else it made for the bucket. */
  clear(): Promise<void>;
}
