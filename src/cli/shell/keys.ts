/**
 * Keys on their way from the terminal to the line editor: others may take the keys for a while, or the whole
 * terminal.
 */
import { Transform, type TransformCallback } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** A terminal, as far as Node's line editor and this need one. */
export interface KeySource extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Takes keys in place of the line editor; gives back those that are the editor's again. */
export type KeyTaker = (keys: string) => string | undefined;

const CTRL_R = '\x12';

export class Keys extends Transform {
  readonly #source: KeySource;
  readonly #onSearch: () => KeyTaker;
  readonly #decoder = new StringDecoder('utf8');
  #taker: KeyTaker | undefined;

  /** `onSearch` is called for Ctrl-R, and gives what takes the keys behind it. */
  constructor(source: KeySource, onSearch: () => KeyTaker) {
    super();
    this.#source = source;
    this.#onSearch = onSearch;
    source.pipe(this);
  }

  get isTTY(): boolean {
    return this.#source.isTTY ?? false;
  }

  get isRaw(): boolean {
    return this.#source.isRaw ?? false;
  }

  setRawMode(raw: boolean): this {
    this.#source.setRawMode?.(raw);
    return this;
  }

  /** Leaves the terminal to another program for as long as that runs. */
  async lend<T>(run: () => Promise<T>): Promise<T> {
    this.#source.unpipe(this);
    this.#source.pause();
    this.#source.setRawMode?.(false);
    try {
      return await run();
    } finally {
      this.#source.setRawMode?.(true);
      this.#source.pipe(this);
    }
  }

  /** Reads no more, so that the process may end. */
  stop(): void {
    this.#source.unpipe(this);
    this.#source.pause();
  }

  override _transform(chunk: Buffer | string, _encoding: BufferEncoding, done: TransformCallback): void {
    let keys = this.#decoder.write(Buffer.from(chunk));
    while (keys !== '') {
      if (this.#taker === undefined) {
        const at = keys.indexOf(CTRL_R);
        const ahead = at === -1 ? keys : keys.slice(0, at);
        if (ahead !== '') this.push(ahead);
        if (at === -1) break;
        this.#taker = this.#onSearch();
        keys = keys.slice(at + 1);
      } else {
        const rest = this.#taker(keys);
        if (rest === undefined) break;
        this.#taker = undefined;
        keys = rest;
      }
    }
    done();
  }
}
