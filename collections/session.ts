/** The sign-in of an app's user, which lasts over reloads, lost connections and the tabs of a browser. */
import { AuthenticationError, NotAllowedError, type RecordId, Surreal } from 'surrealdb';
import { alone, BrowserStore, type TextStorage, usualStorage } from './browser-store.js';
import { newName } from './new-id.js';
import { Outbox } from './outbox.js';
import { expiryOf, type Place, SessionError, SignInRequests, type TokenPair } from './sign-in-requests.js';
import { whileConnected } from './write-mutations.js';

export { SessionError, type TokenPair };

export interface SessionOptions extends Place {
  /** The server's: `https://db.example`. */
  readonly url: string;
  /** The client, where it has options of its own; it must not be connected. */
  readonly client?: Surreal;
  /** Where the sign-in is kept; `localStorage`, unless it says otherwise. */
  readonly storage?: TextStorage;
  /**
   * Keeps rows and writes while there is no connection. `receipts`: the table that makes a repeated write do nothing
   * (`docs/guides/offline.md`).
   */
  readonly offline?: { readonly receipts: string };
}

/** The user's record, as far as the rules show it to its user. */
export interface User {
  readonly id: RecordId;
}

export type SessionState<U extends User = User> = {
  /** Whether there is a connection to the server now. */
  readonly isConnected: boolean;
  /** Why the last sign-in or sign-up has failed, or why the session has ended. */
  readonly error?: SessionError | undefined;
} & (
  | { readonly status: 'loading' | 'signed-out'; readonly user?: undefined }
  | { readonly status: 'signed-in'; readonly user: U }
);

/** What the browser keeps of a sign-in. */
interface KeptSignIn<U extends User> {
  /** One for each sign-in; renewed tokens keep it. */
  readonly id: string;
  /** The access method. */
  readonly access: string;
  readonly tokens: TokenPair;
  readonly user?: U;
}

/** Tokens are renewed so many milliseconds before they expire; the client asks a minute before. */
const MARGIN = 90_000;
/** Milliseconds until a connection is begun again that has ended before it was usable. */
const PAUSE = 1_000;
const SIGN_IN = 'sign-in';

/**
 * A session: `start()` connects it, `subscribe()` and `state` follow it, `client` is the official client, signed in.
 *
 *     const session = new Session<Person>({ url: 'http://127.0.0.1:8000', namespace: 'main', database: 'main', access: 'account' });
 *     await session.signIn({ email, password });
 */
export class Session<U extends User = User> {
  readonly client: Surreal;
  readonly #options: SessionOptions;
  readonly #requests: SignInRequests;
  readonly #store: BrowserStore;
  readonly #listeners = new Set<() => void>();
  #state: SessionState<U>;
  #outbox: Outbox | undefined;
  /** How often it was started and not stopped. */
  #users = 0;
  #stopListening: (() => void) | undefined;
  /** Which connection is the present one: what earlier ones say is of no interest. */
  #connection = 0;
  /** The sign-in that the present connection was begun with. */
  #signInId: string | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.client = options.client ?? new Surreal();
    this.#requests = new SignInRequests(options.url, options);
    const { namespace, database, access } = options;
    this.#store = new BrowserStore(options.storage ?? usualStorage(), `tessera:${namespace}/${database}/${access}:`);
    const kept = this.#kept();
    if (kept === undefined) this.#state = { status: 'signed-out', isConnected: false };
    else if (kept.user === undefined) this.#state = { status: 'loading', isConnected: false };
    else this.#state = { status: 'signed-in', user: kept.user, isConnected: false };
    this.#openOutbox();
  }

  /** What a page shows that was rendered elsewhere, before its browser says who is signed in. */
  readonly stateBefore: SessionState<U> = { status: 'loading', isConnected: false };

  /** As it is now; another object after each change. */
  get state(): SessionState<U> {
    return this.#state;
  }

  /** What is kept while there is no connection, of the user who is signed in; where the options have `offline`. */
  get outbox(): Outbox | undefined {
    return this.#outbox;
  }

  /** Calls back after each change of the state. Returns what ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Connects, and stays connected until all that have started it have called what this returns. */
  start(): () => void {
    if (++this.#users === 1 && this.#stopListening === undefined) this.#open();
    let isStopped = false;
    return () => {
      if (isStopped) return;
      isStopped = true;
      this.#users--;
      // React's StrictMode stops and starts again at once.
      setTimeout(() => {
        if (this.#users === 0) this.#close();
      });
    };
  }

  /**
   * Signs in with what SIGNIN of the access method takes, `{ email, password }`; `access` names another method.
   *
   * @throws SessionError
   */
  signIn(variables: Readonly<Record<string, unknown>>, { access = this.#options.access } = {}): Promise<void> {
    return this.#enter('signin', variables, access);
  }

  /**
   * Signs up, and in, with what SIGNUP of the access method takes.
   *
   * @throws SessionError
   */
  signUp(variables: Readonly<Record<string, unknown>>, { access = this.#options.access } = {}): Promise<void> {
    return this.#enter('signup', variables, access);
  }

  /**
   * Signs out in all tabs, and ends the sign-in at the server, if it can be reached. Rows that were kept are removed;
   * writes that couldn't be sent are kept until the user signs in again.
   */
  async signOut(): Promise<void> {
    const kept = this.#kept();
    this.#outbox?.removeRows();
    this.#forget();
    if (kept?.tokens.refresh !== undefined) await this.#requests.revoke(kept.tokens).catch(() => undefined);
  }

  /** Looks whether the server still takes the sign-in; live queries end with it. */
  async check(): Promise<void> {
    const kept = this.#kept();
    if (kept === undefined || this.client.status !== 'connected') return;
    const [who] = await this.client.query<[unknown]>('RETURN $auth').catch(() => [undefined]);
    if (who === undefined) this.#connect();
  }

  async #enter(how: 'signin' | 'signup', variables: Readonly<Record<string, unknown>>, access: string): Promise<void> {
    this.#change({ ...this.#state, error: undefined });
    try {
      const tokens = await this.#requests.enter(how, access, { variables });
      this.#keep({ id: newName(), access, tokens });
    } catch (error) {
      if (error instanceof SessionError) this.#change({ ...this.#state, error });
      throw error;
    }
    this.#change({ status: 'loading', isConnected: false });
    this.#connect();
    await this.#settled();
  }

  /** Until it is known who is signed in. */
  async #settled(): Promise<void> {
    if (this.#stopListening === undefined) return;
    await new Promise<void>((resolve) => {
      const end = this.subscribe(() => {
        if (this.#state.status === 'loading') return;
        end();
        resolve();
      });
    });
  }

  #open(): void {
    const { client } = this;
    const ends = [
      client.subscribe('reconnecting', () => this.#change({ ...this.#state, isConnected: false })),
      client.subscribe('disconnected', () => {
        this.#change({ ...this.#state, isConnected: false });
        this.#connectLater();
      }),
      client.subscribe('connected', () => void this.#connected()),
      client.subscribe('error', (error) => this.#failed(error)),
      this.#store.watch((key) => {
        if (key === SIGN_IN) this.#otherTab();
      }),
    ];
    this.#stopListening = () => {
      for (const end of ends) end();
    };
    this.#connect();
  }

  #close(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#connection++;
    this.#outbox?.close();
    this.#outbox = undefined;
    this.#state = { ...this.#state, isConnected: false };
    void this.client.close().catch(() => undefined);
  }

  /** A new connection is a new session at the server. */
  #connect(): void {
    const { namespace, database, url } = this.#options;
    this.#connection++;
    if (this.#stopListening === undefined) return;
    this.#signInId = this.#kept()?.id;
    this.#openOutbox();
    this.client
      .connect(`${url.replace(/^http/, 'ws').replace(/\/$/, '')}/rpc`, {
        namespace,
        database,
        authentication: () => this.#token(),
        reconnect: { enabled: true, attempts: -1, retryDelay: PAUSE / 4, retryDelayMax: 10 * PAUSE },
      })
      // The client's events say how it goes on.
      .catch(() => undefined);
  }

  /** The client gives up where it can't sign in, as when a token can't be renewed for now. */
  #connectLater(isNeeded = () => this.client.status === 'disconnected'): void {
    const connection = this.#connection;
    setTimeout(() => {
      const isPresent = connection === this.#connection && this.#stopListening !== undefined;
      if (isPresent && isNeeded()) this.#connect();
    }, PAUSE);
  }

  /** The client asks for it at each connection, and before it expires. */
  #token(): Promise<string | null> {
    return alone(this.#store.prefix + SIGN_IN, async () => {
      const kept = this.#kept();
      if (kept === undefined) return null;
      const { tokens, access } = kept;
      const margin = tokens.refresh === undefined ? 0 : MARGIN;
      if (expiryOf(tokens.access) > Date.now() + margin) return tokens.access;
      try {
        if (tokens.refresh === undefined)
          throw new SessionError('session_ended', 'The session has expired', { status: 401 });
        const renewed = await this.#requests.enter('signin', access, { refresh: tokens.refresh });
        this.#keep({ ...kept, tokens: renewed });
        return renewed.access;
      } catch (error) {
        // Anything else may succeed later.
        if (!isRefusal(error)) throw error;
        this.#ended();
        return null;
      }
    });
  }

  /** Whoever is signed in is read from the server, at each connection. */
  async #connected(): Promise<void> {
    const connection = this.#connection;
    const kept = this.#kept();
    if (kept === undefined) return this.#change({ ...this.#signedOut(), isConnected: true });
    const read = 'IF $auth { (SELECT * FROM ONLY $auth) ?? { id: $auth } }';
    let user: U | undefined;
    try {
      [user] = await whileConnected(this.client, this.client.query<[U | undefined]>(read));
    } catch (error) {
      // Guests may ask nothing, unless the server allows it; what else fails may succeed later.
      if (!(error instanceof NotAllowedError)) return this.#connectLater(() => true);
    }
    if (connection !== this.#connection || this.#kept()?.id !== kept.id) return;
    if (user === undefined) return this.#ended();
    this.#keep({ ...(this.#kept() ?? kept), user });
    this.#openOutbox();
    this.#change({ status: 'signed-in', user, isConnected: true });
  }

  #failed(error: unknown): void {
    if (isRefusal(error) && this.#kept() !== undefined) this.#ended();
    // The client doesn't try to renew again; a connection that is begun again does.
    else if (error instanceof AuthenticationError) this.#connectLater(() => true);
  }

  /** The server no longer takes the sign-in. */
  #ended(): void {
    this.#forget(new SessionError('session_ended', 'The session has ended. Please sign in again'));
  }

  #forget(error?: SessionError): void {
    this.#store.remove(SIGN_IN);
    this.#change({ ...this.#state, status: 'signed-out', user: undefined, error });
    this.#connect();
  }

  /** Another tab has signed in or out; a new pair of the same sign-in is of no interest. */
  #otherTab(): void {
    const kept = this.#kept();
    if (kept?.id === this.#signInId) return;
    if (kept === undefined) this.#change({ status: 'signed-out', isConnected: false });
    else this.#change({ status: 'loading', isConnected: false });
    this.#connect();
  }

  #kept(): KeptSignIn<U> | undefined {
    return this.#store.get(SIGN_IN);
  }

  #keep(kept: KeptSignIn<U>): void {
    this.#store.set(SIGN_IN, kept);
  }

  #signedOut(): SessionState<U> {
    const { error, isConnected } = this.#state;
    return { status: 'signed-out', error, isConnected };
  }

  /** The outbox is its user's own. */
  #openOutbox(): void {
    const { offline } = this.#options;
    const user = this.#kept()?.user?.id;
    if (offline === undefined || this.#outbox?.user?.toString() === user?.toString()) return;
    this.#outbox?.close();
    this.#outbox =
      user &&
      new Outbox({
        client: this.client,
        store: new BrowserStore(this.#options.storage ?? usualStorage(), `${this.#store.prefix}${user}:`),
        user,
        receipts: offline.receipts,
      });
  }

  #change(state: SessionState<U>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Whether the server has refused the tokens, rather than not answered, or been busy. */
function isRefusal(error: unknown): boolean {
  if (error instanceof SessionError) return error.status === 401;
  return error instanceof NotAllowedError && (error.isInvalidAuth || error.isTokenExpired);
}
