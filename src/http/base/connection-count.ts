/** Limits long-lived connections: WebSockets and event streams. */
import { failure } from '../../errors/error.js';
import { type HttpLimits, LIMIT_SETTINGS } from './options.js';

export class ConnectionCount {
  readonly #limits: HttpLimits;
  readonly #perAddress = new Map<string, number>();
  #total = 0;

  constructor(limits: HttpLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a connection; call the result once to release it.
   * @throws TesseraError `too_many_connections`
   */
  claim(address: string): () => void {
    const { connections, connectionsPerAddress } = this.#limits;
    const ofAddress = this.#perAddress.get(address) ?? 0;
    if (this.#total >= connections) {
      throw failure('too_many_connections', { limit: connections, setting: LIMIT_SETTINGS.connections });
    }
    if (ofAddress >= connectionsPerAddress) {
      throw failure('too_many_connections', {
        limit: connectionsPerAddress,
        setting: LIMIT_SETTINGS.connectionsPerAddress,
      });
    }
    this.#total++;
    this.#perAddress.set(address, ofAddress + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#total--;
      const rest = (this.#perAddress.get(address) ?? 1) - 1;
      if (rest === 0) this.#perAddress.delete(address);
      else this.#perAddress.set(address, rest);
    };
  }
}
