/** The names in a database for completion: fetched on demand, and cached until a statement may have changed them. */
import type { Timers } from '../../env/environment.js';
import { escapeName } from '../../value/text/quote.js';
import { isObject, type ObjectValue, type Value } from '../../value/value.js';
import { firstWord } from './statements.js';

export interface NameLists {
  readonly tables: readonly string[];
  readonly functions: readonly string[];
  readonly params: readonly string[];
  /** Indexes, analyzers and whatever else has a name. */
  readonly others: readonly string[];
}

const NOTHING: NameLists = { tables: [], functions: [], params: [], others: [] };
/** Milliseconds that completion may wait unnoticed. */
const PATIENCE = 250;
/** Statements after which names may be others. */
const CHANGING = new Set('DEFINE REMOVE ALTER USE CREATE INSERT UPSERT RELATE COMMIT'.split(' '));
/** The keys of INFO FOR DB. */
const OTHERS = ['accesses', 'analyzers', 'sequences', 'users'] as const;

/** Answers a statement, or gives `undefined` where that isn't allowed. */
type Ask = (statement: string) => Promise<Value>;

export class SchemaNames {
  readonly #ask: Ask;
  readonly #timers: Timers;
  #names = NOTHING;
  readonly #fields = new Map<string, readonly string[]>();
  /** Requests since the last change. */
  readonly #asked = new Map<string, Promise<void>>();

  constructor(ask: Ask, timers: Timers) {
    this.#ask = ask;
    this.#timers = timers;
  }

  /** The known names; former ones are used while the server is slow. */
  async names(): Promise<NameLists> {
    await this.#soon('', async () => {
      this.#names = namesIn(await this.#ask('INFO FOR DB'));
    });
    return this.#names;
  }

  async fields(table: string): Promise<readonly string[]> {
    await this.#soon(table, async () => {
      const info = await this.#ask(`INFO FOR TABLE ${escapeName(table)}`);
      this.#fields.set(
        table,
        keysOf(info, 'fields').filter((path) => /^[\w.]+$/.test(path)),
      );
    });
    return this.#fields.get(table) ?? [];
  }

  /** A statement has been run, after which other names may be there. */
  outdate(statement: string): void {
    if (CHANGING.has(firstWord(statement))) this.#asked.clear();
  }

  /** Asks unless it was asked already, and waits a moment for the answer; a later one serves the next time. */
  async #soon(key: string, load: () => Promise<void>): Promise<void> {
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = load();
      this.#asked.set(key, asked);
    }
    await Promise.race([asked, this.#timers.wait(PATIENCE)]);
  }
}

function namesIn(info: Value): NameLists {
  return {
    tables: keysOf(info, 'tables'),
    functions: keysOf(info, 'functions').map((name) => `fn::${name}`),
    params: keysOf(info, 'params'),
    others: OTHERS.flatMap((kind) => keysOf(info, kind)),
  };
}

function keysOf(info: Value, kind: string): string[] {
  const entries: Value = isObject(info) ? (info as ObjectValue)[kind] : undefined;
  return isObject(entries) ? Object.keys(entries) : [];
}
