import { mkdirSync } from 'node:fs';
import { realEnvironment } from '../../src/env/real.js';
import { type ByteStore, openByteStore } from '../../src/storage/lmdb/engine/lmdb-store.js';

/** A store that isn't flushed to the disk. */
export function openUnsynced(folder: string): ByteStore {
  mkdirSync(folder, { recursive: true });
  const { timers } = realEnvironment;
  return openByteStore(folder, { sync: false, timers, verifyUpTo: 0, describeKey: () => 'an entry', report: () => {} });
}

/** A store whose writes wait, or fail, as the test says. */
export class HeldStore implements ByteStore {
  readonly id = '';
  /** Called with what completes the write that is under way, after it has reached the disk. */
  held: ((complete: () => void) => void) | undefined;
  failure: Error | undefined;
  /** Why nothing can be read. */
  unreadable: Error | undefined;
  writes = 0;
  readonly lastStamp = 0n;
  readonly mayBeUnsealed = false;
  readonly isReadOnly = false;
  readonly isLogged = false;
  readonly version: number;

  constructor(readonly store: ByteStore) {
    this.version = store.version;
  }

  setLogged(isLogged: boolean) {
    this.store.setLogged(isLogged);
  }

  view() {
    if (this.unreadable !== undefined) throw this.unreadable;
    return this.store.view();
  }

  prepare() {
    this.store.prepare();
  }

  async write(...write: Parameters<ByteStore['write']>) {
    this.writes++;
    if (this.failure !== undefined) throw this.failure;
    await this.store.write(...write);
    await new Promise<void>((complete) => (this.held === undefined ? complete() : this.held(complete)));
  }

  measure(...measure: Parameters<ByteStore['measure']>) {
    this.store.measure(...measure);
  }

  reserve(...reserve: Parameters<ByteStore['reserve']>) {
    this.store.reserve(...reserve);
  }

  sealed() {
    return this.store.sealed();
  }

  close() {
    return this.store.close();
  }
}
