/** The Studio's connection to its server: the official client over a WebSocket, with the errors of each statement kept apart. */
import { type DriverContext, type Duration, type LiveMessage, Surreal, type Uuid, WebSocketEngine } from 'surrealdb';
import type { SignedIn } from '../../pages/session.js';
import type { StatementResult } from './statement-source.js';
import { type ViewedUser, viewTarget } from './viewed-user.js';

export type Variables = Readonly<Record<string, unknown>>;

export interface ConnectionOptions {
  /** Whose view it shows, to an owner. */
  readonly viewed?: ViewedUser;
  /** Called when the server no longer takes the token. */
  ended?(): void;
}

export class Connection {
  readonly #client: Surreal;
  readonly #signedIn: SignedIn;
  #isClosed = false;
  /** Whose view it shows. */
  readonly viewed: ViewedUser | undefined;
  /** Who is signed in, and where. In a view without the token of the owner, so that nothing is asked for as the owner. */
  readonly session: SignedIn;

  private constructor(client: Surreal, session: SignedIn, viewed: ViewedUser | undefined) {
    this.#client = client;
    this.#signedIn = session;
    this.viewed = viewed;
    this.session = viewed === undefined ? session : withoutToken(session);
  }

  /**
   * Connects as `session` says.
   * @throws Error if the server can't be reached, doesn't take the token, or refuses the view
   */
  static async open(session: SignedIn, { viewed, ended }: ConnectionOptions = {}): Promise<Connection> {
    let engine: WebSocketEngine | undefined;
    const makeEngine = (context: DriverContext) => {
      engine = new WebSocketEngine(context);
      return engine;
    };
    const client = new Surreal({ engines: { ws: makeEngine, wss: makeEngine } });
    const address = new URL('/rpc', location.origin);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const { token, namespace, database } = session;
    try {
      // Connected again by itself, a view would be the owner's session.
      await client.connect(address, { invalidateOnExpiry: true, reconnect: viewed === undefined });
      if (token !== undefined) await client.authenticate(token);
      if (namespace !== '') await client.use({ namespace, ...(database !== '' && { database }) });
      if (viewed !== undefined) {
        await (engine as WebSocketEngine).send({
          method: 'view_as',
          params: [viewTarget(viewed, namespace, database)],
        });
      }
    } catch (error) {
      await client.close();
      throw error;
    }
    client.subscribe('auth', (tokens) => {
      if (tokens === null && token !== undefined) ended?.();
    });
    return new Connection(client, session, viewed);
  }

  /** A second connection as the same user. Closing it cancels what it runs. */
  fork(): Promise<Connection> {
    return Connection.open(this.#signedIn, this.viewed === undefined ? {} : { viewed: this.viewed });
  }

  /** A connection that shows the view of another user. @throws Error if the server refuses it */
  viewAs(viewed: ViewedUser): Promise<Connection> {
    return Connection.open(this.#signedIn, { viewed });
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
      // It has ended with its connection.
      if (!this.#isClosed) void subscription.kill().catch(() => {});
    };
  }

  close(): void {
    this.#isClosed = true;
    void this.#client.close();
  }
}

function withoutToken({ token: _, ...session }: SignedIn): SignedIn {
  return session;
}

/** In milliseconds, as the server has measured it. */
function elapsed(duration: Duration | undefined): string {
  return duration === undefined ? '' : `${(Number(duration.nanoseconds) / 1e6).toFixed(1)} ms`;
}
