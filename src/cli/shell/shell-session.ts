/** The session of a shell: one connection, the selection, variables, and an open transaction. */
import { escapeIdentifier } from '../../value/text/quote.js';
import { isArray, isObject, type Value } from '../../value/value.js';
import { type ConnectionOptions, connectAs } from '../client/connection.js';
import type { Listener, RpcClient } from '../client/rpc-client.js';
import { ServerError } from '../client/server-error.js';
import { firstWord } from './statements.js';

/** The outcome of one statement. `time` is the server's, as text. */
export type StatementOutcome =
  | { readonly ok: true; readonly value: Value; readonly time?: string }
  | { readonly ok: false; readonly error: string; readonly time?: string };

const DONE: StatementOutcome = { ok: true, value: undefined };

/** Statements that outlast their request, for which a query of its own would be too short. */
type Lasting = (session: ShellSession, statement: string) => Promise<StatementOutcome>;
const LASTING: Readonly<Record<string, Lasting>> = {
  USE: (session, statement) => session.use(statement),
  LET: (session, statement) => session.let(statement),
  BEGIN: (session) => session.begin(),
  COMMIT: (session, statement) => session.end('commit', statement),
  CANCEL: (session, statement) => session.end('cancel', statement),
};

export class ShellSession {
  #client: RpcClient | undefined;
  readonly #options: ConnectionOptions;
  readonly #listener: Listener;
  readonly #variables = new Map<string, Value>();
  #namespace: string | undefined;
  #database: string | undefined;
  #transaction: Value;

  private constructor(options: ConnectionOptions, listener: Listener) {
    this.#options = { ...options, endpoint: options.endpoint.replace(/^http/, 'ws') };
    this.#listener = listener;
    this.#namespace = options.ns;
    this.#database = options.db;
  }

  /**
   * Connects and signs in. HTTP keeps no session, so that a WebSocket is opened for it.
   * @throws ServerError, and what the network throws
   */
  static async open(options: ConnectionOptions, listener: Listener): Promise<ShellSession> {
    const session = new ShellSession(options, listener);
    await session.#connected();
    return session;
  }

  /** `test/test`. */
  get place(): string {
    return `${this.#namespace ?? ''}/${this.#database ?? ''}`;
  }

  get variables(): Iterable<string> {
    return this.#variables.keys();
  }

  get isInTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  /** Runs one statement. Never throws what a server or the network says. */
  async run(statement: string): Promise<StatementOutcome> {
    const word = firstWord(statement);
    const lasting = Object.hasOwn(LASTING, word) ? LASTING[word] : undefined;
    try {
      return lasting === undefined ? await this.query(statement) : await lasting(this, statement);
    } catch (error) {
      return { ok: false, error: (error as Error).message };
    }
  }

  /**
   * Runs a text and returns the outcome of its last statement, or of the one that failed.
   * @throws ServerError, and what the network throws
   */
  async query(text: string, transaction: Value = this.#transaction): Promise<StatementOutcome> {
    const client = await this.#connected();
    const answer = await client.query(text, transaction);
    let last: StatementOutcome = DONE;
    for (const entry of isArray(answer) ? answer : []) {
      if (!isObject(entry)) continue;
      const time = String(entry.time);
      if (entry.status !== 'OK') return { ok: false, error: String(entry.result), time };
      last = { ok: true, value: entry.result, time };
    }
    return last;
  }

  /** Asks beside what the user does: outside of the transaction, and `undefined` for whatever goes wrong. */
  async ask(text: string): Promise<Value> {
    try {
      const outcome = await this.query(text, undefined);
      return outcome.ok ? outcome.value : undefined;
    } catch {
      return undefined;
    }
  }

  /** What a query selects is selected as long as it runs, so that the session selects it as well. */
  async use(statement: string): Promise<StatementOutcome> {
    const outcome = await this.query(statement);
    if (!outcome.ok || !isObject(outcome.value)) return outcome;
    const { namespace, database } = outcome.value;
    const client = await this.#connected();
    await client.call('use', namespace ?? null, database ?? null);
    this.#namespace = typeof namespace === 'string' ? namespace : undefined;
    this.#database = typeof database === 'string' ? database : undefined;
    return outcome;
  }

  /** A variable of a query ends with it, so that its value becomes one of the session. */
  async let(statement: string): Promise<StatementOutcome> {
    const name = /^\s*let\s+\$([a-z_]\w*)/i.exec(statement)?.[1];
    if (name === undefined) return this.query(statement);
    const outcome = await this.query(`${statement}; RETURN $${escapeIdentifier(name)}`);
    if (!outcome.ok) return outcome;
    const client = await this.#connected();
    await client.call('let', name, outcome.value);
    this.#variables.set(name, outcome.value);
    return { ...DONE, ...(outcome.time !== undefined && { time: outcome.time }) };
  }

  async begin(): Promise<StatementOutcome> {
    if (this.#transaction !== undefined) return { ok: false, error: 'A transaction is under way already' };
    const client = await this.#connected();
    this.#transaction = await client.call('begin');
    return DONE;
  }

  async end(how: 'commit' | 'cancel', statement: string): Promise<StatementOutcome> {
    const transaction = this.#transaction;
    if (transaction === undefined) return this.query(statement);
    // It has ended, whether or not it can be committed.
    this.#transaction = undefined;
    const client = await this.#connected();
    await client.call(how, transaction);
    return DONE;
  }

  /** Gives up what is under way. The server stops it when the connection ends; the next statement opens another one. */
  abandon(): void {
    this.#client?.close();
    this.#client = undefined;
    this.#transaction = undefined;
  }

  close(): void {
    this.#client?.close();
  }

  async #connected(): Promise<RpcClient> {
    if (this.#client?.isOpen) return this.#client;
    if (this.#transaction !== undefined) {
      this.#transaction = undefined;
      throw new ServerError('The connection was lost, and the transaction with it');
    }
    const { ns: _ns, db: _db, ...options } = this.#options;
    const client = await connectAs(
      {
        ...options,
        ...(this.#namespace !== undefined && { ns: this.#namespace }),
        ...(this.#database !== undefined && { db: this.#database }),
      },
      this.#listener,
    );
    for (const [name, value] of this.#variables) await client.call('let', name, value);
    this.#client = client;
    return client;
  }
}
