/** Tessera in React: the session of a page's user, and results of queries, live or as they were when asked. */
import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { ServerError } from 'surrealdb';
import { LiveQueries, type LiveResult } from './live-queries.js';
import type { Row } from './live-rows.js';
import { newId } from './new-id.js';
import { Session, SessionError, type SessionOptions, type SessionState, type User } from './session.js';
import { nameOf } from './tanstack-db.js';
import { whileConnected } from './write-mutations.js';

export { type LiveResult, newId, type Row, Session, SessionError, type SessionOptions, type SessionState, type User };

/** What a query takes besides its text. */
export interface QueryOptions {
  /** The parameters that it names; values of the client, record ids among them. */
  readonly bindings?: Record<string, unknown>;
  /** Nothing is asked while it is false. */
  readonly enabled?: boolean;
}

export interface LiveOptions<T extends Row> extends QueryOptions {
  /** The order of the rows; without it that of their ids. */
  readonly order?: (a: T, b: T) => number;
}

export type QueryResult<T> = (
  | { readonly status: 'loading'; readonly data?: undefined; readonly error?: undefined }
  | { readonly status: 'ready'; readonly data: T; readonly error?: undefined }
  | { readonly status: 'error'; readonly data?: undefined; readonly error: unknown }
) & {
  /** Asks once more. */
  readonly refresh: () => void;
};

interface Provided {
  readonly session: Session;
  readonly queries: LiveQueries;
}

const Context = createContext<Provided | undefined>(undefined);

/**
 * Connects a session while it is mounted, and gives it to the hooks below. The session is made once, outside of
 * components:
 *
 *     const session = new Session({ url: 'http://127.0.0.1:8000', namespace: 'main', database: 'main', access: 'account' });
 *     createRoot(element).render(<SessionProvider session={session}><App /></SessionProvider>);
 */
export function SessionProvider({ session, children }: { readonly session: Session; readonly children?: ReactNode }) {
  const provided = useMemo(() => ({ session, queries: new LiveQueries(session) }), [session]);
  useEffect(() => {
    const stop = session.start();
    const endOfUsers = session.subscribe(() => provided.queries.followUser());
    return () => {
      endOfUsers();
      stop();
    };
  }, [session, provided]);
  return createElement(Context.Provider, { value: provided }, children);
}

function useProvided(): Provided {
  const provided = useContext(Context);
  if (provided === undefined) throw new Error('There is no SessionProvider around this component');
  return provided;
}

/** The state of a session, and what changes it. */
export type UsedSession<U extends User> = SessionState<U> &
  Pick<Session<U>, 'signIn' | 'signUp' | 'signOut' | 'client'>;

/**
 * Who is signed in, and what signs them in and out. A failed attempt rejects with a `SessionError`, and is in `error`,
 * until the next one.
 *
 *     const { status, user, error, signIn, signOut } = useSession<Person>();
 */
export function useSession<U extends User = User>(): UsedSession<U> {
  const session = useProvided().session as Session<U>;
  const state = useSessionState(session);
  return useMemo(
    () => ({
      ...state,
      client: session.client,
      signIn: session.signIn.bind(session),
      signUp: session.signUp.bind(session),
      signOut: session.signOut.bind(session),
    }),
    [session, state],
  );
}

function useSessionState<U extends User>(session: Session<U>): SessionState<U> {
  const subscribe = useCallback((listener: () => void) => session.subscribe(listener), [session]);
  return useSyncExternalStore(
    subscribe,
    () => session.state,
    () => session.stateBefore,
  );
}

/**
 * The rows of a SELECT, as they are and as they change. Each needs an `id`. What is written into `collection` is seen at
 * once; what the rules refuse is rolled back, and rejects `isPersisted.promise`.
 *
 *     const { rows, collection } = useLive<Task>('SELECT * FROM task WHERE list = $list', { bindings: { list } });
 *     collection.insert({ id: newId('task'), text, list });
 */
export function useLive<T extends Row>(query: string, { bindings = {}, enabled = true, order }: LiveOptions<T> = {}) {
  const { session, queries } = useProvided();
  const { status } = useSessionState(session);
  const live = queries.of<T>(query, bindings);
  const isAsked = enabled && status !== 'loading';
  const subscribe = useCallback(
    (listener: () => void) => (isAsked ? live.subscribe(listener) : () => {}),
    [live, isAsked],
  );
  const result = useSyncExternalStore(subscribe, live.read, live.read);
  return useMemo(() => (order ? { ...result, rows: [...result.rows].sort(order) } : result), [result, order]);
}

/**
 * The answer of one statement: it is asked when there is a connection, and once more when the statement, a parameter or
 * the user is another.
 *
 *     const { data, error, refresh } = useQuery<number>('RETURN count(SELECT id FROM task WHERE list = $list)', { bindings: { list } });
 */
export function useQuery<T>(query: string, { bindings = {}, enabled = true }: QueryOptions = {}): QueryResult<T> {
  const { session } = useProvided();
  const { status, user, isConnected } = useSessionState(session);
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<Answer<T>>();
  const isAsked = enabled && isConnected && status !== 'loading';
  const name = `${user?.id} ${round} ${nameOf(query, bindings)}`;
  const isAnswered = answer?.name === name;
  // Parameters are other objects at each rendering: `name` stands for them, the query and the user.
  useEffect(() => {
    if (!isAsked || isAnswered) return;
    let isCurrent = true;
    whileConnected(session.client, session.client.query<[T]>(query, bindings)).then(
      ([data]) => isCurrent && setAnswer({ name, status: 'ready', data }),
      // What a lost connection has ended is asked again over the next one.
      (error: unknown) =>
        isCurrent &&
        (error instanceof ServerError || session.state.isConnected) &&
        setAnswer({ name, status: 'error', error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [session, name, isAsked, isAnswered]);
  const refresh = useCallback(() => setRound((before) => before + 1), []);
  return useMemo(
    () => ({ ...(isAnswered ? (answer as Answer<T>) : { status: 'loading' as const }), refresh }),
    [answer, isAnswered, refresh],
  );
}

type Answer<T> = { readonly name: string } & (
  | { readonly status: 'ready'; readonly data: T }
  | { readonly status: 'error'; readonly error: unknown }
);

/** How many writes wait for a connection, of a session with `offline`. */
export function usePendingWrites(): number {
  const { session } = useProvided();
  useSessionState(session);
  const { outbox } = session;
  const subscribe = useCallback((listener: () => void) => outbox?.subscribe(listener) ?? (() => {}), [outbox]);
  return useSyncExternalStore(
    subscribe,
    () => outbox?.size ?? 0,
    () => 0,
  );
}
