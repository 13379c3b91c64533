/** The file beside a data file in which LMDB's library keeps who reads, and what was committed last. */
import { closeSync, openSync, readSync } from 'node:fs';

/** The lock file of a data file. */
export function lockFileOf(path: string): string {
  return `${path}-lock`;
}

/** Where it has the number of the last transaction that was committed, in 8 bytes. */
const LAST_TRANSACTION = 8;

/**
 * Reads the number of the last transaction that any process has committed, without a call of the library: a read of 8
 * bytes that the system has in memory, since the library maps the file.
 */
export class LastTransaction {
  readonly #descriptor: number;
  readonly #bytes = Buffer.alloc(8);

  /** @throws Error of the system */
  constructor(lockFile: string) {
    this.#descriptor = openSync(lockFile, 'r');
  }

  /** 0 where there was none. @throws Error of the system */
  read(): number {
    readSync(this.#descriptor, this.#bytes, 0, this.#bytes.length, LAST_TRANSACTION);
    return this.#bytes.readUInt32LE(0) + this.#bytes.readUInt32LE(4) * 2 ** 32;
  }

  /**
   * Only when the library has closed the file: closing any descriptor of a file drops all locks that the process has on
   * it, and others would take the library's readers for dead.
   */
  close(): void {
    closeSync(this.#descriptor);
  }
}

/** The same once, while the library hasn't opened the file. @throws Error of the system */
export function readLastTransaction(lockFile: string): number {
  const last = new LastTransaction(lockFile);
  try {
    return last.read();
  } finally {
    last.close();
  }
}
