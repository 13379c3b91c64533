/**
 * One connection to PostgreSQL, on which statements are pipelined: each is sent at once, behind those whose answers are
 * pending, and answers come in the order of the statements.
 */
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';

/** A statement that is prepared once on each connection. */
export interface PreparedStatement {
  /** Unique among the engine's statements. */
  readonly name: string;
  readonly text: string;
}

/** Parameters in PostgreSQL's binary format; NULL where there is none. */
export type BinaryParameter = Buffer | null;

/** Fields in PostgreSQL's binary format, one character a byte; `null` is NULL. */
export type BinaryRow = readonly (string | null)[];

export interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  /** Without it the connection is plain. */
  readonly tls: TlsOptions | undefined;
  /** Milliseconds until a server that doesn't answer counts as unavailable. */
  readonly connectTimeout: number;
  /** The application name in `pg_stat_activity`. */
  readonly applicationName: string;
}

interface ConnectionEvents {
  /** The connection has ended by itself: the server is gone, or has closed it. */
  onLost(error: Error): void;
  /** A statement is sent; the returned function is called with the statement's answer. */
  readonly asked?: (() => () => void) | undefined;
}

export class PostgresConnection {
  readonly #client: pg.Client;
  readonly #asked: ConnectionEvents['asked'];
  #isUsable = true;
  #isCorked = false;

  private constructor(client: pg.Client, { asked }: ConnectionEvents) {
    this.#client = client;
    this.#asked = asked;
  }

  /** @throws Error what the network, TLS or the server says (`DatabaseError` with an SQLSTATE) */
  static async open(settings: ConnectionSettings, events: ConnectionEvents): Promise<PostgresConnection> {
    const client = new pg.Client(clientConfig(settings));
    const connection = new PostgresConnection(client, events);
    // Without a listener an error would end the process.
    client.on('error', (error) => connection.#lose(readable(error), events));
    client.on('end', () => connection.#lose(new Error('the connection has ended'), events));
    try {
      await client.connect();
    } catch (error) {
      connection.#isUsable = false;
      throw readable(error);
    }
    return connection;
  }

  /** Whether statements can be sent. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Sends a statement behind all that were sent before; the rows of its result. `timeout` cuts the connection where no
   * answer comes for so many milliseconds.
   * @throws Error what the server or the network says
   */
  async query(
    { name, text }: PreparedStatement,
    values: readonly BinaryParameter[] = [],
    timeout?: number,
  ): Promise<readonly BinaryRow[]> {
    this.#sendTogether();
    const answered = this.#asked?.();
    try {
      const query: QueryConfig = { name, text, values: [...values], rowMode: 'array', query_timeout: timeout };
      const { rows } = await this.#client.query<(string | null)[]>(query);
      answered?.();
      return rows;
    } catch (error) {
      // No answer: nothing can follow on this connection.
      if (!(error instanceof pg.DatabaseError)) this.destroy();
      throw readable(error);
    }
  }

  /**
   * Runs statements without parameters and results, which are not prepared.
   * @throws Error what the server or the network says
   */
  async run(script: string): Promise<void> {
    this.#sendTogether();
    try {
      await this.#client.query(script);
    } catch (error) {
      throw readable(error);
    }
  }

  /** Ends it when all statements are answered. */
  async close(): Promise<void> {
    if (!this.#isUsable) return;
    this.#isUsable = false;
    await this.#client.end();
  }

  /** Cuts it at once: the server rolls back its transaction, and pending statements fail. */
  destroy(): void {
    this.#isUsable = false;
    this.#client.connection.stream.destroy();
  }

  /** Messages of one turn of the event loop go out in one packet, as far as they fit. */
  #sendTogether(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  #lose(error: Error, { onLost }: ConnectionEvents): void {
    if (!this.#isUsable) return;
    this.#isUsable = false;
    this.#client.connection.stream.destroy();
    onLost(error);
  }
}

/** Types of results stay byte strings. */
const RAW_TYPES = { getTypeParser: () => (field: string) => field };

/**
 * Options of the library that its type declarations lack: a custom connection, and results in binary
 * format.
 */
interface ClientConfig extends pg.ClientConfig {
  readonly binary: boolean;
  readonly connection: pg.Connection;
}

/** A setting for one statement that the library's type declarations have for connections only. */
interface QueryConfig extends pg.QueryArrayConfig {
  readonly query_timeout: number | undefined;
}

/** After how many milliseconds of silence it is tried whether the other side is there. */
const KEEP_ALIVE_DELAY = 5_000;

function clientConfig(settings: ConnectionSettings): ClientConfig {
  const { tls } = settings;
  const ssl = tls === undefined ? {} : { ssl: tls };
  return {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    // A function keeps the library from looking for a password in files and in the environment.
    password: () => settings.password ?? '',
    ...ssl,
    connectionTimeoutMillis: settings.connectTimeout,
    application_name: settings.applicationName,
    pipeline: true,
    binary: true,
    types: RAW_TYPES as unknown as pg.CustomTypesConfig,
    connection: new ByteStringConnection({ ...ssl, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY }),
  };
}

/** An error of the server whose texts were read as byte strings. */
function readable(error: unknown): Error {
  if (!(error instanceof pg.DatabaseError)) return error as Error;
  error.message = Buffer.from(error.message, 'latin1').toString('utf8');
  if (error.detail !== undefined) error.detail = Buffer.from(error.detail, 'latin1').toString('utf8');
  return error;
}

// The connection of node-postgres with fields read as byte strings, one character a byte.
//
// The library decodes every field of a result as UTF-8, which destroys `bytea` in PostgreSQL's binary format. Decoded
// as latin1 it is what keys and encoded records are in Tessera. Everything else (TLS, SCRAM, the protocol's states)
// stays the library's. `postgres-connection.test.ts` sends all bytes to and fro, so that a release of the library in
// which this no longer holds is noticed.

/** The parts of the library's classes that its type declarations leave out. */
interface ReaderWithEncoding {
  encoding: BufferEncoding;
}
interface Message {
  readonly name: string;
}

class ByteStringConnection extends pg.Connection {
  /** Called by `connect`, and again once TLS is in place. */
  attachListeners(stream: NodeJS.ReadableStream): void {
    const parser = new Parser();
    (parser as unknown as { readonly reader: ReaderWithEncoding }).reader.encoding = 'latin1';
    stream.on('data', (chunk: Buffer) => {
      parser.parse(chunk, (message: Message) => this.emit(eventOf(message), message));
    });
  }
}

function eventOf({ name }: Message): string {
  return name === 'error' ? 'errorMessage' : name;
}
