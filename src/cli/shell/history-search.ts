/** Ctrl-R: finds earlier entries by a part of them, as shells do. */

/** The action after a key. */
export type SearchStep =
  /** Show `query` and what it finds. */
  | { readonly kind: 'show' }
  /** Take what was found; `rest` are keys that go to the line, as Enter does, which runs it. */
  | { readonly kind: 'take'; readonly rest: string }
  /** Back to what was typed before; `rest` are keys that go to the line. */
  | { readonly kind: 'cancel'; readonly rest: string };

const OLDER = '\x12';
const NEWER = '\x13';
const ESCAPE = '\x1b';
const ERASE = new Set(['\x7f', '\b']);
/** Ctrl-G and Ctrl-C. */
const CANCEL = new Set(['\x07', '\x03']);

export class HistorySearch {
  query = '';
  /** Newest first. */
  readonly #entries: readonly string[];
  /** The index of the last match; behind the entries if there is none. */
  #at = -1;

  constructor(entries: readonly string[]) {
    this.#entries = entries;
  }

  /** What is found, nothing at the beginning. */
  get match(): string | undefined {
    return this.#entries[this.#at];
  }

  get hasFailed(): boolean {
    return this.query !== '' && this.match === undefined;
  }

  /** Takes keys as a terminal sends them, up to one that ends the search. */
  type(keys: string): SearchStep {
    let at = 0;
    for (const key of keys) {
      if (key === OLDER) this.#find(this.#at + 1, 1);
      else if (key === NEWER) this.#find(this.#at - 1, -1);
      else if (ERASE.has(key)) {
        this.query = Array.from(this.query).slice(0, -1).join('');
        this.#restart();
      } else if (CANCEL.has(key)) return { kind: 'cancel', rest: keys.slice(at + key.length) };
      else if (key < ' ') {
        const rest = keys.slice(at);
        // Escape by itself ends the search and nothing else; longer sequences are arrows and the like.
        return { kind: 'take', rest: rest === ESCAPE ? '' : rest };
      } else {
        this.query += key;
        if (this.match === undefined || !this.match.includes(this.query)) this.#find(Math.max(this.#at, 0), 1);
      }
      at += key.length;
    }
    return { kind: 'show' };
  }

  #restart(): void {
    this.#at = -1;
    if (this.query !== '') this.#find(0, 1);
  }

  /** A search that finds nothing older or newer stays where it is. */
  #find(from: number, step: 1 | -1): void {
    if (this.query === '') return;
    for (let at = from; at >= 0 && at < this.#entries.length; at += step) {
      const entry = this.#entries[at] as string;
      if (!entry.includes(this.query) || entry === this.match) continue;
      this.#at = at;
      return;
    }
    if (this.match === undefined || !this.match.includes(this.query)) this.#at = this.#entries.length;
  }
}
