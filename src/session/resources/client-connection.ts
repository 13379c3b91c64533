/** What the sessions of one connection share: its memory, and the transactions that its client holds. */
import { failure, type TesseraError } from '../../errors/error.js';
import type { OpenHeldTransaction } from '../session/held-transaction.js';
import type { ConnectionMemory } from './server-memory.js';

/** How many ended transactions a connection remembers the reason of. */
const KNOWN_ENDS = 64;

export class ClientConnection {
  readonly memory: ConnectionMemory;
  #transactions: ConnectionTransactions | undefined;

  constructor(memory: ConnectionMemory) {
    this.memory = memory;
  }

  /** Created lazily: most HTTP requests hold no transaction. */
  get transactions(): ConnectionTransactions {
    this.#transactions ??= new ConnectionTransactions();
    return this.#transactions;
  }
}

/**
 * The transactions that a client can name, by their ids. Every session of the connection can use them, with its own
 * rights; sessions of other connections cannot.
 */
class ConnectionTransactions {
  readonly #held = new Map<string, OpenHeldTransaction>();
  /** Why transactions ended whose client may not know yet. */
  readonly #ends = new Map<string, TesseraError>();

  add(held: OpenHeldTransaction): void {
    this.#held.set(held.id, held);
  }

  delete({ id }: OpenHeldTransaction): void {
    this.#held.delete(id);
  }

  /**
   * An open transaction of the connection.
   * @throws TesseraError `transaction_missing`, `transaction_idle`, `transaction_expired`
   */
  find(id: string): OpenHeldTransaction {
    const held = this.#held.get(id);
    if (held === undefined) throw this.#ends.get(id) ?? failure('transaction_missing');
    return held;
  }

  noteEnd({ id }: OpenHeldTransaction, reason: TesseraError): void {
    this.#ends.set(id, reason);
    const [first] = this.#ends.keys();
    if (this.#ends.size > KNOWN_ENDS && first !== undefined) this.#ends.delete(first);
  }
}
