/** Adds checksums to the values of a store of format 1, while it is used. */
import type { Timers } from '../../../env/environment.js';
import { decodeRecord } from '../../../value/codecs/record-encode.js';
import { sealEncoded, sealState } from '../../../value/codecs/sealed-record.js';
import type { Key, Stored } from '../../contract.js';
import { after } from '../../transaction/read-set.js';
import { MAX_KEY_LENGTH } from '../file/lmdb-limits.js';
import type { KeyChange } from './key-change.js';
import type { ByteView } from './lmdb-store.js';

/** Approximate numbers of entries read, and of bytes of values rewritten, in one step. */
const STEP_ENTRIES = 256;
const STEP_BYTES = 1 << 20;
const LAST_KEY = '\xff'.repeat(MAX_KEY_LENGTH + 1);

/** What it needs of an engine. Between an answer and the next call of the same turn no transaction commits. */
export interface SealingEngine {
  isOpen(): boolean;
  /** A view of the written state. */
  view(): ByteView;
  /** Whether an unwritten commit changes a key: its new value has a checksum. */
  isPending(key: Key): boolean;
  /** Writes the same values in the new format. */
  write(changes: KeyChange[]): Promise<void>;
}

/**
 * Rewrites all values that have no checksum. Returns whether none is left: not if the engine is closed meanwhile, or a
 * value can't be read. Starts again after a crash; what has a checksum by then is passed over.
 * @throws TesseraError as `write` does
 */
export async function sealOldValues(engine: SealingEngine, timers: Timers): Promise<boolean> {
  let isWhole = true;
  for (let from: Key | undefined = ''; from !== undefined; ) {
    await timers.yield();
    if (!engine.isOpen()) return false;
    const step = nextStep(engine, from);
    isWhole &&= step.isReadable;
    if (step.changes.length > 0) await engine.write(step.changes);
    from = step.next;
  }
  return isWhole;
}

interface Step {
  readonly changes: KeyChange[];
  /** Where the next step begins; `undefined` behind the last entry. */
  readonly next: Key | undefined;
  readonly isReadable: boolean;
}

function nextStep(engine: SealingEngine, from: Key): Step {
  const changes: KeyChange[] = [];
  let isReadable = true;
  let count = 0;
  let taken = 0;
  let last: Key | undefined;
  const view = engine.view();
  try {
    const options = { reverse: false, keysOnly: false, limit: STEP_ENTRIES };
    view.scan({ from, to: LAST_KEY }, options, (key, bytes) => {
      count++;
      // What is left is read again by the next step.
      if (taken > STEP_BYTES || bytes === undefined) return;
      last = key;
      if (sealState(key, bytes) !== 'none' || engine.isPending(key)) return;
      const value = readable(bytes);
      isReadable &&= value !== undefined;
      if (value === undefined) return;
      taken += bytes.length;
      changes.push({ key, value, bytes: sealEncoded(key, bytes) });
    });
  } finally {
    view.release();
  }
  const isEnd = count < STEP_ENTRIES && taken <= STEP_BYTES;
  return { changes, next: isEnd || last === undefined ? undefined : after(last), isReadable };
}

function readable(bytes: Uint8Array): Stored | undefined {
  try {
    return decodeRecord(bytes) as Stored;
  } catch {
    return undefined;
  }
}
