/**
 * A rendezvous channel: an unbuffered channel whose sender waits until a receiver takes the item.
 *
 *     void channel.give('a').then(() => channel.give('b'));
 *     await channel.take();   // 'a'
 *     await channel.take();   // 'b'
 */
export class RendezvousChannel<T> {
  #offered: { readonly thing: T; readonly taken: () => void } | undefined;
  #wanted: ((thing: T | undefined) => void) | undefined;
  #closed = false;

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Nothing else may be given before it is taken. */
  give(thing: T): Promise<void> | undefined {
    if (this.#closed) return undefined;
    if (this.#wanted !== undefined) {
      this.#wanted(thing);
      this.#wanted = undefined;
      return undefined;
    }
    return new Promise((taken) => {
      this.#offered = { thing, taken };
    });
  }

  /** `undefined` once it is closed. */
  take(): Promise<T | undefined> {
    const offered = this.#offered;
    if (offered !== undefined) {
      this.#offered = undefined;
      offered.taken();
      return Promise.resolve(offered.thing);
    }
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#wanted = resolve;
    });
  }

  /** Closes the channel: waiting senders and receivers resume, and pending items are dropped. */
  close(): void {
    this.#closed = true;
    this.#offered?.taken();
    this.#offered = undefined;
    this.#wanted?.(undefined);
    this.#wanted = undefined;
  }
}
