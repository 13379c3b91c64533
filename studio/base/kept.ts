/** What the browser keeps for the Studio beyond a tab: choices of how it looks, never data or secrets. */
import { Store } from './store.js';

/** A choice that the browser keeps; `initial` where it keeps none, or nothing for pages. */
export function keptStore<Choice extends string>(name: string, initial: Choice, all: readonly Choice[]): Store<Choice> {
  const key = `tessera:studio:${name}`;
  const found = readKept(key);
  const store = new Store(all.find((choice) => choice === found) ?? initial);
  store.subscribe(() => writeKept(key, store.value));
  return store;
}

export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeKept(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing, or no more: the page works without.
  }
}
