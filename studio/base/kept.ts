/** What the browser keeps for the Studio beyond a tab, in its localStorage: choices and lists, never a token or a password. */
import { Store } from './store.js';

/** A choice that the browser keeps; `initial` where it keeps none, or nothing for pages. */
export function keptStore<Choice extends string>(name: string, initial: Choice, all: readonly Choice[]): Store<Choice> {
  const key = `tessera:studio:${name}`;
  const found = readKept(key);
  const store = new Store(all.find((choice) => choice === found) ?? initial);
  store.subscribe(() => writeKept(key, store.value));
  return store;
}

/** Stores of one kind that the browser keeps as lists, each by a key of its own; the whole page shares them. */
export class KeptStores<Value> {
  readonly #stores = new Map<string, Store<Value>>();
  readonly #name: string;
  readonly #read: (entries: readonly unknown[]) => Value;
  readonly #write: (value: Value) => readonly unknown[];

  constructor(name: string, read: (entries: readonly unknown[]) => Value, write: (value: Value) => readonly unknown[]) {
    this.#name = name;
    this.#read = read;
    this.#write = write;
  }

  /** @param path names, which may have any character */
  of(...path: readonly string[]): Store<Value> {
    // Joined by one they could be those of another.
    const key = `tessera:studio:${this.#name}:${JSON.stringify(path)}`;
    const known = this.#stores.get(key);
    if (known !== undefined) return known;
    const store = new Store(this.#read(readKeptList(key)));
    store.subscribe(() => writeKeptList(key, this.#write(store.value)));
    this.#stores.set(key, store);
    return store;
  }
}

/** A list that the browser keeps; empty where it keeps nothing, or what is there is no list. */
export function readKeptList(key: string): readonly unknown[] {
  try {
    const entries: unknown = JSON.parse(readKept(key) ?? '[]');
    return Array.isArray(entries) ? entries : [];
  } catch {
    return [];
  }
}

export function writeKeptList(key: string, entries: readonly unknown[]): void {
  writeKept(key, JSON.stringify(entries));
}

function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function writeKept(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing, or no more: the page works without.
  }
}
