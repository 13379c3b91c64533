/** The Studio's connection to its server: the official client over a WebSocket, with the errors of each statement kept apart. */
import { type Duration, type LiveMessage, Surreal, type Uuid } from 'surrealdb';
import type { SignedIn } from '../../pages/session.js';

export type Variables = Readonly<Record<string, unknown>>;

/** The result of one statement. */
export type StatementResult =
  | { readonly ok: true; readonly value: unknown; readonly type: 'live' | 'kill' | 'other'; readonly time: string }
  | { readonly ok: false; readonly error: Error; readonly time: string };

export class Connection {
  readonly #client: Surreal;
  /** Who is signed in, and where. */
  readonly session: SignedIn;

  private constructor(client: Surreal, session: SignedIn) {
    this.#client = client;
    this.session = session;
  }

  /**
   * Connects as `session` says. `ended` is called when the server no longer takes the token.
   * @throws Error if the server can't be reached or doesn't take the token
   */
  static async open(session: SignedIn, ended: () => void = () => {}): Promise<Connection> {
    const client = new Surreal();
    const address = new URL('/rpc', location.origin);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const { token, namespace, database } = session;
    try {
      await client.connect(address, { invalidateOnExpiry: true });
      if (token !== undefined) await client.authenticate(token);
      if (namespace !== '') await client.use({ namespace, ...(database !== '' && { database }) });
    } catch (error) {
      await client.close();
      throw error;
    }
    client.subscribe('auth', (tokens) => {
      if (tokens === null && token !== undefined) ended();
    });
    return new Connection(client, session);
  }

  /** A second connection as the same user. Closing it cancels what it runs. */
  fork(): Promise<Connection> {
    return Connection.open(this.session);
  }

  /** The values of all statements. @throws Error of the first statement that fails */
  async query<Values extends unknown[] = unknown[]>(text: string, variables: Variables = {}): Promise<Values> {
    return (await this.#client.query(text, { ...variables }).collect()) as Values;
  }

  /** What became of each statement. @throws Error if the text can't be read as statements, or the connection is lost */
  async run(text: string, variables: Variables = {}): Promise<StatementResult[]> {
    const responses = await this.#client.query(text, { ...variables }).responses();
    return responses.map((response) => {
      const time = elapsed(response.stats?.duration);
      return response.success
        ? { ok: true, value: response.result, type: response.type, time }
        : { ok: false, error: response.error, time };
    });
  }

  /** Follows a live query that a statement has begun, until the answer is called or the connection closes. */
  async follow(id: Uuid, handle: (message: LiveMessage) => void): Promise<() => void> {
    const subscription = await this.#client.liveOf(id);
    const stop = subscription.subscribe(handle);
    return () => {
      stop();
      void subscription.kill().catch(() => {});
    };
  }

  close(): void {
    void this.#client.close();
  }
}

function elapsed(duration: Duration | undefined): string {
  return duration === undefined ? '' : duration.toString();
}
