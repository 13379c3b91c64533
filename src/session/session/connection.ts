/** What the sessions of one connection share: its memory, and the transactions that its client holds. */
import { failure, type TesseraError } from '../../errors/error.js';
import type { ConnectionMemory } from '../database/server-memory.js';
import type { OpenHeldTransaction } from './held-transaction.js';

/** Of how many transactions that were ended a connection knows why. */
const KNOWN_ENDS = 64;

export class Connection {
  readonly memory: ConnectionMemory;
  #transactions: ConnectionTransactions | undefined;

  constructor(memory: ConnectionMemory) {
    this.memory = memory;
  }

  /** Made when it is first asked for: the connections of most HTTP requests hold none. */
  get transactions(): ConnectionTransactions {
    this.#transactions ??= new ConnectionTransactions();
    return this.#transactions;
  }
}

/**
 * The transactions that clients can name, by their ids. Any session of the connection finds them, with its own rights; those of other
 * connections have no way to, whatever they know.
 */
class ConnectionTransactions {
  readonly #held = new Map<string, OpenHeldTransaction>();
  /** Why transactions were ended whose client may not know yet. */
  readonly #ends = new Map<string, TesseraError>();

  add(held: OpenHeldTransaction): void {
    this.#held.set(held.id, held);
  }

  delete({ id }: OpenHeldTransaction): void {
    this.#held.delete(id);
  }

  /** One that is under way. @throws TesseraError `transaction_missing`, `transaction_idle`, `transaction_expired` */
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
