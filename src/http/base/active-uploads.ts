/** Requests that send bytes of an upload: one at a time, so that a client that has lost its connection can go on. */

interface Active {
  /** Asks the request to keep what has come, and to end. */
  readonly stop: () => void;
  readonly ended: Promise<void>;
}

export class ActiveUploads {
  readonly #active = new Map<string, Active>();

  /** Ends the request that sends bytes of an upload, if there is one, and waits until what came is kept. */
  async end(id: string): Promise<void> {
    for (let active = this.#active.get(id); active !== undefined; active = this.#active.get(id)) {
      active.stop();
      await active.ended;
    }
  }

  /** Runs a request that sends bytes; `stop` ends it when another one comes. */
  async run(id: string, stop: () => void, work: () => Promise<void>): Promise<void> {
    await this.end(id);
    const working = work().finally(() => this.#active.delete(id));
    this.#active.set(id, { stop, ended: working.catch(() => undefined) });
    await working;
  }
}
