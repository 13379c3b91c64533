/** What a browser keeps for an app: values of the database under keys of one prefix, which the tabs of a browser share. */
import { CborCodec } from 'surrealdb';

/** The part of `localStorage` that is used. */
export interface TextStorage {
  readonly length: number;
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
  removeItem(key: string): void;
  key(at: number): string | null;
}

/** Another tab has changed a value. */
interface StorageChange {
  readonly key: string | null;
  readonly storageArea: unknown;
}

/** What browsers have, and servers that render pages may not. */
interface Surroundings {
  readonly localStorage?: TextStorage;
  readonly navigator?: { readonly locks?: { request<T>(name: string, run: () => Promise<T>): Promise<T> } };
  addEventListener?(type: 'storage', listener: (change: StorageChange) => void): void;
  removeEventListener?(type: 'storage', listener: (change: StorageChange) => void): void;
}
const surroundings = globalThis as unknown as Surroundings;

export class BrowserStore {
  readonly #storage: TextStorage;
  readonly prefix: string;

  constructor(storage: TextStorage, prefix: string) {
    this.#storage = storage;
    this.prefix = prefix;
  }

  /** `undefined` where there is nothing, or what is there can't be read any longer. */
  get<T>(key: string): T | undefined {
    return decoded(this.#storage.getItem(this.prefix + key));
  }

  /** Values are those of the client: record ids, dates and decimals stay what they are. */
  set(key: string, value: unknown): void {
    this.#storage.setItem(this.prefix + key, encoded(value));
  }

  remove(key: string): void {
    this.#storage.removeItem(this.prefix + key);
  }

  /** The keys that begin so, in their order. */
  keys(start = ''): string[] {
    const all = Array.from({ length: this.#storage.length }, (_, at) => this.#storage.key(at) ?? '');
    const ours = all.filter((key) => key.startsWith(this.prefix + start));
    return ours.map((key) => key.slice(this.prefix.length)).sort();
  }

  /** Calls back when another tab has changed a value. Returns what ends this. */
  watch(listener: (key: string) => void): () => void {
    const receive = ({ key, storageArea }: StorageChange): void => {
      if (storageArea === this.#storage && key?.startsWith(this.prefix)) listener(key.slice(this.prefix.length));
    };
    surroundings.addEventListener?.('storage', receive);
    return () => surroundings.removeEventListener?.('storage', receive);
  }
}

/** For servers and private windows, where nothing outlasts the page. */
export class MemoryStorage implements TextStorage {
  readonly #texts = new Map<string, string>();

  get length(): number {
    return this.#texts.size;
  }

  getItem(key: string): string | null {
    return this.#texts.get(key) ?? null;
  }

  setItem(key: string, text: string): void {
    this.#texts.set(key, text);
  }

  removeItem(key: string): void {
    this.#texts.delete(key);
  }

  key(at: number): string | null {
    return [...this.#texts.keys()][at] ?? null;
  }
}

/** `localStorage`, where there is one that may be used. */
export function usualStorage(): TextStorage {
  try {
    return surroundings.localStorage ?? new MemoryStorage();
  } catch {
    return new MemoryStorage();
  }
}

/** Runs what no other tab of the browser runs at the same time; where there are no locks, at once. */
export function alone<T>(name: string, run: () => Promise<T>): Promise<T> {
  const locks = surroundings.navigator?.locks;
  return locks === undefined ? run() : locks.request(name, run);
}

function encoded(value: unknown): string {
  let text = '';
  for (const byte of CborCodec.DEFAULT.encode(value)) text += String.fromCharCode(byte);
  return btoa(text);
}

function decoded<T>(text: string | null): T | undefined {
  if (text === null) return undefined;
  try {
    return CborCodec.DEFAULT.decode<T>(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
