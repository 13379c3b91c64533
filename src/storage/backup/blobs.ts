/** Blob storage for backups: named byte sequences in a folder or in an object store. */

export interface Blobs {
  /** The location for messages, without credentials. */
  readonly location: string;
  /** Whether there is nothing. @throws TesseraError `backup_remote`; Error of the system */
  isEmpty(): Promise<boolean>;
  /** `undefined` if there is none of the name. @throws as `isEmpty`, `backup_damaged` for more than `most` bytes */
  read(name: string, most: number): Promise<Uint8Array | undefined>;
  /** Atomic and durable: resolves once all bytes are stored; before, no blob has the name. @throws as `isEmpty` */
  write(name: string, bytes: Uint8Array): Promise<void>;
}
