/** Where a backup is kept: named sequences of bytes, in a folder or in a store of objects. */

export interface Blobs {
  /** Names the place for people, without credentials. */
  readonly place: string;
  /** Whether there is nothing. @throws TesseraError `backup_remote`; Error of the system */
  isEmpty(): Promise<boolean>;
  /** `undefined` if there is none of the name. @throws as `isEmpty` */
  read(name: string): Promise<Uint8Array | undefined>;
  /** When it resolves, all of it is kept for good; before, nothing is there under the name. @throws as `isEmpty` */
  write(name: string, bytes: Uint8Array): Promise<void>;
}
