/** A connection of JSON-RPC over WebSocket to a server that may end at any moment. */
import { WebSocket } from 'ws';

interface Answer {
  readonly error?: unknown;
  readonly result?: unknown;
}

interface Statement {
  readonly status: 'OK' | 'ERR';
  readonly result: unknown;
}

/** `N`: what a notification has. */
export class RpcConnection<N> {
  /** Why it is no longer there, once it isn't. */
  readonly closed: Promise<string>;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  /** What came before anyone listened. */
  readonly #early: N[] = [];
  #listener: (notification: N) => void = (notification) => void this.#early.push(notification);
  #requests = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data) => this.#take(JSON.parse(String(data))));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve(`closed with ${code} ${reason}`));
    });
  }

  /** `url` of the server, by HTTP. */
  static async open<N>(url: string): Promise<RpcConnection<N>> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`, 'json');
    const connection = new RpcConnection<N>(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return connection;
  }

  /** Gets those that came before, too. */
  listen(listener: (notification: N) => void): void {
    this.#listener = listener;
    for (const each of this.#early.splice(0)) listener(each);
  }

  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const id = ++this.#requests;
    const answer = new Promise<Answer>((resolve) => this.#answers.set(id, resolve));
    this.socket.send(JSON.stringify({ id, method, params }));
    const gone = this.closed.then((why): Answer => ({ error: why }));
    const { error, result } = await Promise.race([answer, gone]);
    this.#answers.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** The result of one statement. */
  async query(text: string, variables: object = {}): Promise<unknown> {
    const [{ status, result }] = (await this.ask('query', text, variables)) as readonly [Statement];
    if (status === 'ERR') throw new Error(String(result));
    return result;
  }

  /** Without a word to the server. */
  cut(): void {
    this.socket.terminate();
  }

  #take(message: Answer & { readonly id?: number }): void {
    if (message.id === undefined) this.#listener(message.result as N);
    else this.#answers.get(message.id)?.(message);
  }
}
