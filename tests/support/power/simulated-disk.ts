/**
 * A disk under a file system that promises what POSIX does: what was flushed is there after a failure of power; of what
 * wasn't, any part may be, in any order, down to single sectors. A name in a folder is flushed with the folder.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DiskCall } from './disk-calls.js';

const PAGE = 4_096;
const SECTOR = 512;

type Random = (below: number) => number;

/** A part of a write within one page, or an end where a file is cut off. */
interface Change {
  /** Which call it is of. */
  readonly call: number;
  readonly at: number;
  readonly bytes: Uint8Array | undefined;
}

interface StoredFile {
  /** What is on the disk for certain. */
  flushed: Buffer;
  /** What isn't. */
  changes: Change[];
  /** As processes see it. */
  length: number;
}

/** A change of the names in a folder. */
interface NameChange {
  readonly call: number;
  readonly apply: (names: Map<string, StoredFile>) => void;
}

interface Folder {
  /** The call that has made it, until its own name is on the disk. */
  made: number | undefined;
  readonly flushed: Map<string, StoredFile>;
  changes: NameChange[];
}

/** Files by their paths, as a failure leaves them. */
export type Remains = ReadonlyMap<string, Uint8Array>;

export class SimulatedDisk {
  /** As processes see them. */
  readonly #names = new Map<string, StoredFile>();
  readonly #folders = new Map<string, Folder>();
  #calls = 0;

  /** A folder that has been there for long, with what is in it. */
  constructor(folder: string, files: Remains = new Map()) {
    this.#folders.set(folder, { made: undefined, flushed: new Map(), changes: [] });
    for (const [path, bytes] of files) {
      const file: StoredFile = { flushed: Buffer.from(bytes), changes: [], length: bytes.length };
      this.#settledFolder(dirname(path)).flushed.set(path, file);
      this.#names.set(path, file);
    }
  }

  /** A folder that has been there for long, below others. */
  #settledFolder(path: string): Folder {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    this.#settledFolder(dirname(path));
    const folder: Folder = { made: undefined, flushed: new Map(), changes: [] };
    this.#folders.set(path, folder);
    return folder;
  }

  /** The next call. Those of other folders change nothing. */
  apply(call: DiskCall): void {
    const at = this.#calls++;
    switch (call.kind) {
      case 'say':
        return;
      case 'make folder':
        if (this.#folders.has(dirname(call.path)))
          this.#folders.set(call.path, { made: at, flushed: new Map(), changes: [] });
        return;
      case 'make':
        if (!this.#names.has(call.path)) this.#name(at, call.path, newFile());
        return;
      case 'remove':
        this.#name(at, call.path, undefined);
        return;
      case 'link':
      case 'rename':
        this.#move(at, call.path, call.to, call.kind === 'rename');
        return;
      case 'cut':
        this.#change(call.path, { call: at, at: call.length, bytes: undefined });
        return;
      case 'write':
        this.#write(at, call.path, call.at, call.bytes);
        return;
      case 'flush':
        this.#flush(call.path, call.before);
        return;
      case 'flush write':
        this.#flushWrite(call.path, call.write);
        return;
    }
  }

  /** What a failure of power may leave, drawn at random: all that was written, only what was flushed, or a part. */
  fail(random: Random): Remains {
    const isKept = drawnFate(random, this.#calls);
    const areNamesKept = drawnFate(random, this.#calls);
    const remains = new Map<string, Uint8Array>();
    const lost = new Set<string>();
    for (const [path, { made, flushed, changes }] of this.#folders) {
      // Those within others come after them.
      if (lost.has(dirname(path)) || (made !== undefined && !areNamesKept(made, 0))) {
        lost.add(path);
        continue;
      }
      const names = new Map(flushed);
      for (const { call, apply } of changes) if (areNamesKept(call, 0)) apply(names);
      for (const [path, file] of names) remains.set(path, contentOf(file, isKept));
    }
    return remains;
  }

  /** What the death of the processes leaves. */
  kill(): Remains {
    return new Map([...this.#names].map(([path, file]) => [path, contentOf(file, () => true)]));
  }

  #write(call: number, path: string, place: number | 'end', bytes: Uint8Array): void {
    const at = place === 'end' ? (this.#names.get(path)?.length ?? 0) : place;
    for (let from = 0; from < bytes.length; ) {
      const end = Math.min(bytes.length, from + PAGE - ((at + from) % PAGE));
      this.#change(path, { call, at: at + from, bytes: bytes.subarray(from, end) });
      from = end;
    }
  }

  #change(path: string, change: Change): void {
    const file = this.#names.get(path);
    if (file === undefined) return;
    file.changes.push(change);
    file.length = change.bytes === undefined ? change.at : Math.max(file.length, change.at + change.bytes.length);
  }

  #flush(path: string, before: number): void {
    const folder = this.#folders.get(path);
    if (folder !== undefined) {
      for (const { call, apply } of folder.changes) if (call < before) apply(folder.flushed);
      folder.changes = folder.changes.filter(({ call }) => call >= before);
      for (const [name, each] of this.#folders)
        if (dirname(name) === path && (each.made ?? before) < before) each.made = undefined;
    }
    const file = this.#names.get(path);
    if (file !== undefined) settle(file, ({ call }) => call < before);
  }

  /** The system writes whole pages: what was written to them before goes with it. */
  #flushWrite(path: string, write: number): void {
    const file = this.#names.get(path);
    if (file === undefined) return;
    const pageOf = ({ at }: Change) => Math.floor(at / PAGE);
    const pages = new Set(file.changes.filter(({ call }) => call === write).map(pageOf));
    settle(file, (change) => change.call <= write && (change.bytes === undefined || pages.has(pageOf(change))));
  }

  #name(call: number, path: string, file: StoredFile | undefined): void {
    const folder = this.#folders.get(dirname(path));
    if (folder === undefined) return;
    const apply = (names: Map<string, StoredFile>) =>
      void (file === undefined ? names.delete(path) : names.set(path, file));
    apply(this.#names);
    folder.changes.push({ call, apply });
  }

  #move(call: number, path: string, to: string, isGone: boolean): void {
    const folder = this.#folders.get(dirname(path));
    const file = this.#names.get(path);
    if (folder === undefined || file === undefined) return;
    // Both names are in one folder: they change at once.
    const apply = (names: Map<string, StoredFile>) => {
      names.set(to, file);
      if (isGone) names.delete(path);
    };
    apply(this.#names);
    folder.changes.push({ call, apply });
  }
}

/** Writes the files that a failure has left into a folder. */
export function writeRemains(remains: Remains, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, bytes] of remains) writeFileSync(join(folder, basename(path)), bytes);
}

function newFile(): StoredFile {
  return { flushed: Buffer.alloc(0), changes: [], length: 0 };
}

function settle(file: StoredFile, isSettled: (change: Change) => boolean): void {
  file.flushed = applied(file.flushed, file.changes.filter(isSettled));
  file.changes = file.changes.filter((change) => !isSettled(change));
}

/** Whether a part of what a call changed is kept; `part` counts sectors of the file. */
type Fate = (call: number, part: number) => boolean;

function drawnFate(random: Random, calls: number): Fate {
  const chance = 1 + random(9);
  const isDrawn = () => random(10) < chance;
  const last = Math.max(0, calls - 1 - random(Math.min(calls, 40) + 1));
  const decided = new Map<number, boolean>();
  const once = (by: number) => {
    const known = decided.get(by) ?? isDrawn();
    decided.set(by, known);
    return known;
  };
  const fates: readonly Fate[] = [
    () => true,
    () => false,
    // In order, the last one torn.
    (call) => call < last || (call === last && isDrawn()),
    // Whole calls, in any order.
    once,
    // All but one.
    (call) => call !== last,
    // Pages, or single sectors.
    (call, part) => once(call * 2 ** 20 + Math.floor(part / (PAGE / SECTOR))),
    isDrawn,
    isDrawn,
  ];
  return fates[random(fates.length)] as Fate;
}

function contentOf({ flushed, changes }: StoredFile, isKept: Fate): Uint8Array {
  const kept = changes.flatMap((change): Change[] => {
    const { call, at, bytes } = change;
    if (bytes === undefined) return isKept(call, 0) ? [change] : [];
    const parts: Change[] = [];
    for (let from = 0; from < bytes.length; ) {
      const end = Math.min(bytes.length, from + SECTOR - ((at + from) % SECTOR));
      if (isKept(call, Math.floor((at + from) / SECTOR)))
        parts.push({ call, at: at + from, bytes: bytes.subarray(from, end) });
      from = end;
    }
    return parts;
  });
  return kept.length === 0 ? flushed : applied(flushed, kept);
}

function applied(content: Buffer, changes: readonly Change[]): Buffer {
  let length = content.length;
  let most = length;
  for (const { at, bytes } of changes) {
    length = bytes === undefined ? at : Math.max(length, at + bytes.length);
    most = Math.max(most, length);
  }
  const whole = Buffer.alloc(most);
  content.copy(whole);
  for (const { at, bytes } of changes) {
    if (bytes === undefined) whole.fill(0, at);
    else whole.set(bytes, at);
  }
  return whole.subarray(0, length);
}
