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
