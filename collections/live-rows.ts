/** The rows of a live result (LIVE QUERY), followed by the official client, over lost connections, too. */
import type { LiveMessage, RecordId, Surreal, Uuid } from 'surrealdb';

/** Rows have the ids of their records. */
export interface Row {
  readonly id: RecordId;
}

export interface RowListener<T extends Row> {
  /** The rows as they are now: at the beginning, and after the connection was lost. */
  replaced(rows: readonly T[]): void;
  changed(change: RowChange<T>): void;
  /** The statement fails, or the server has ended it; nothing more comes before the client connects again. */
  failed(error: unknown): void;
}

export type RowChange<T extends Row> =
  | { readonly type: 'insert' | 'update'; readonly value: T }
  | { readonly type: 'delete'; readonly key: string };

/** How often a result that the server has ended is begun again before something of it has come. */
const MOST_TRIES = 3;

export class LiveRows<T extends Row> {
  readonly #client: Surreal;
  readonly #query: string;
  readonly #bindings: Record<string, unknown>;
  readonly #listener: RowListener<T>;
  readonly #stopWatching: () => void;
  /** Which beginning the messages belong to that are heard. */
  #generation = 0;
  #tries = 0;
  #end: (() => void) | undefined;

  /** `query`: a SELECT whose rows have an `id`; `bindings`: the parameters that it names. */
  constructor(client: Surreal, query: string, bindings: Record<string, unknown>, listener: RowListener<T>) {
    this.#client = client;
    this.#query = query;
    this.#bindings = bindings;
    this.#listener = listener;
    // A connection that was lost has ended what was begun over it.
    this.#stopWatching = client.subscribe('connected', () => void this.#begin());
    if (client.status === 'connected') void this.#begin();
  }

  stop(): void {
    this.#stopWatching();
    this.#generation++;
    this.#end?.();
  }

  async #begin(): Promise<void> {
    const generation = ++this.#generation;
    this.#end?.();
    this.#end = undefined;
    try {
      const [{ id, result }] = await this.#client.query<[{ id: Uuid; result: T[] }]>(
        `LIVE QUERY ${this.#query}`,
        this.#bindings,
      );
      const live = await this.#client.liveOf(id);
      const kill = () => void live.kill().catch(() => undefined);
      if (generation !== this.#generation) return kill();
      this.#end = kill;
      this.#listener.replaced(result);
      live.subscribe((message) => {
        if (generation === this.#generation) this.#hear(message);
      });
    } catch (error) {
      // Another beginning is under way after a lost connection.
      if (generation === this.#generation) this.#listener.failed(error);
    }
  }

  #hear(message: LiveMessage): void {
    if (message.action === 'KILLED') {
      this.#end = undefined;
      if (++this.#tries < MOST_TRIES) void this.#begin();
      else this.#listener.failed(new Error('The server has ended this live query'));
      return;
    }
    this.#tries = 0;
    const { action, recordId, value } = message;
    if (action === 'DELETE') this.#listener.changed({ type: 'delete', key: String(recordId) });
    else this.#listener.changed({ type: action === 'CREATE' ? 'insert' : 'update', value: value as unknown as T });
  }
}
