/**
 * Names of GraphQL made from names of the database. GraphQL knows letters, digits and `_` only, and keeps what begins
 * with `__` to itself; the database knows any text.
 */
import { toAscii } from '../../base/ascii.js';

const LEGAL = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/;
const LONGEST = 100;

/**
 * The text if it is legal, else the legal name nearest to it: `größe` → `grosse`, `first-name` → `first_name`, `2nd` →
 * `_2nd`.
 */
export function legalName(text: string): string {
  if (LEGAL.test(text) && text.length <= LONGEST) return text;
  const letters = toAscii(text.slice(0, LONGEST))
    .replace(/[^A-Za-z0-9_]/g, '_')
    .slice(0, LONGEST);
  return (/^[A-Za-z_]/.test(letters) ? letters : `_${letters}`).replace(/^__+/, '_');
}

const NO_ALIASES: ReadonlyMap<string, string> = new Map();

/** The order in which names are assigned. */
const TURNS: readonly ((text: string, alias: string | undefined) => boolean)[] = [
  (_, alias) => alias !== undefined,
  (text) => legalName(text) === text,
  () => true,
];

/** Assigns names, each only once. */
export class Names {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string> = []) {
    this.#taken = new Set(reserved);
  }

  isFree(name: string): boolean {
    return !this.#taken.has(name);
  }

  /** The closest legal name that is free; a number is appended if necessary. */
  claim(text: string): string {
    const name = legalName(text);
    let free = name;
    const stem = name === '_' ? '' : name;
    for (let number = 2; this.#taken.has(free); number++) free = `${stem}_${number}`;
    this.#taken.add(free);
    return free;
  }

  /**
   * A name for each text: its alias where it has one, else the text itself. Those that are legal as they are come
   * first, so that none of them has to yield to a made-up name.
   */
  claimAll(texts: readonly string[], aliases: ReadonlyMap<string, string> = NO_ALIASES): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    for (const turn of TURNS) {
      for (const text of texts) {
        const alias = aliases.get(text);
        if (!names.has(text) && turn(text, alias)) names.set(text, this.claim(alias ?? text));
      }
    }
    return names;
  }
}
