/** WebSockets at `/rpc`: the handshake, how many there may be, and whether they are alive. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer as WsServer } from 'ws';
import type { Environment } from '../env/environment.js';
import { asTesseraError, failure } from '../errors/error.js';
import { RpcConnection } from '../rpc/connection.js';
import { clientAddress } from './client-address.js';
import { type Context, logInternal, originOf, prepare } from './context.js';
import { isAllowedOrigin } from './cors.js';
import { CBOR, type Format, JSON_FORMAT } from './format.js';
import { LIMIT_SETTINGS } from './options.js';
import { readQueryString } from './query-string.js';
import { rawError } from './raw-error.js';
import { checkQueryName, readSelection, type Selection } from './request-headers.js';
import { WebSocketConnection } from './web-socket-connection.js';

const SUBPROTOCOLS: ReadonlyMap<string, Format> = new Map([CBOR, JSON_FORMAT].map((format) => [format.name, format]));

/** The most parts that one message may be cut into. */
const MOST_FRAGMENTS = 1024;

/** The library closes without saying why when a message breaks a limit. */
const REASONS: Readonly<Record<number, string>> = {
  1007: 'The text of the message is not valid UTF-8',
  1008: `The message has more than ${MOST_FRAGMENTS} fragments`,
  1009: `The message exceeds the limit (${LIMIT_SETTINGS.message}; before sign-in ${LIMIT_SETTINGS.guestMessage})`,
};

class ExplainingWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? (code === undefined ? undefined : REASONS[code]));
  }
}

export class WebSocketServer {
  readonly #context: Context;
  readonly #environment: Environment;
  readonly #server: WsServer;
  readonly #connections = new Set<WebSocketConnection>();
  readonly #perAddress = new Map<string, number>();
  #stopPings: () => void = () => {};
  #total = 0;
  #closing = false;

  constructor(context: Context, environment: Environment) {
    this.#context = context;
    this.#environment = environment;
    this.#server = new WsServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      WebSocket: ExplainingWebSocket,
      maxPayload: context.options.limits.guestMessage,
      maxFragments: MOST_FRAGMENTS,
      handleProtocols: (offered) => chosenSubprotocol(offered) ?? false,
    });
    this.#server.on('wsClientError', (error, socket) =>
      rawError(socket, failure('upgrade_invalid', { reason: error.message })),
    );
    this.#schedulePings();
  }

  /** Answers a request for an upgrade. Never throws. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the WebSocket takes it over, nobody else listens for its errors; without a listener they would end the process.
    const ignore = () => socket.destroy();
    socket.on('error', ignore);
    this.#accept(request, socket, head).then(
      () => socket.removeListener('error', ignore),
      (thrown) => {
        const error = asTesseraError(thrown);
        if (error.code === 'internal') logInternal(this.#context.log, error);
        rawError(socket, error);
      },
    );
  }

  /** Lets every connection finish the request it is at, then closes it. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stopPings();
    await Promise.all([...this.#connections].map((connection) => connection.shutDown()));
  }

  async #accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { options, database, rpc } = this.#context;
    if (this.#closing) throw failure('shutting_down');
    const url = request.url ?? '';
    const path = url.split('?', 1)[0];
    if (path !== '/rpc' && path !== '/rpc/') throw failure('route_missing');
    if (!isAllowedOrigin(request.headers.origin, options.allowedOrigins)) throw failure('origin_denied');
    const format = offeredFormat(request.headers['sec-websocket-protocol']);
    const selection = readConnectSelection(request, url);
    const release = this.#claim(clientAddress(request, options.clientAddress) ?? '');
    try {
      const connection = new RpcConnection(database, originOf(request, selection, this.#context), rpc);
      try {
        await prepare(connection.session, request.headers.authorization, selection);
        if (socket.destroyed) throw failure('upgrade_invalid', { reason: 'the client went away' });
        let opened = false;
        this.#server.handleUpgrade(request, socket, head, (webSocket) => {
          opened = true;
          const client = new WebSocketConnection(
            webSocket,
            socket,
            connection,
            this.#context,
            this.#environment,
            format,
          );
          this.#keep(client, webSocket, release);
        });
        if (opened) return;
        // The handshake isn't valid, and `wsClientError` has said so.
        connection.close();
        release();
      } catch (error) {
        connection.close();
        throw error;
      }
    } catch (error) {
      release();
      throw error;
    }
  }

  #keep(connection: WebSocketConnection, webSocket: WebSocket, release: () => void): void {
    this.#connections.add(connection);
    webSocket.once('close', () => {
      this.#connections.delete(connection);
      release();
    });
  }

  /** Counts a connection; the answer gives its place free, once. */
  #claim(address: string): () => void {
    const { connections, connectionsPerAddress } = this.#context.options.limits;
    const ofAddress = this.#perAddress.get(address) ?? 0;
    if (this.#total >= connections) {
      throw failure('too_many_connections', { limit: connections, setting: LIMIT_SETTINGS.connections });
    }
    if (ofAddress >= connectionsPerAddress) {
      throw failure('too_many_connections', {
        limit: connectionsPerAddress,
        setting: LIMIT_SETTINGS.connectionsPerAddress,
      });
    }
    this.#total++;
    this.#perAddress.set(address, ofAddress + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#total--;
      const rest = (this.#perAddress.get(address) ?? 1) - 1;
      if (rest === 0) this.#perAddress.delete(address);
      else this.#perAddress.set(address, rest);
    };
  }

  /** One timer for all of them. */
  #schedulePings(): void {
    this.#stopPings = this.#environment.timers.after(this.#context.options.pingInterval, () => {
      for (const connection of this.#connections) connection.beat();
      this.#schedulePings();
    });
  }
}

function chosenSubprotocol(offered: ReadonlySet<string>): string | undefined {
  for (const name of offered) if (SUBPROTOCOLS.has(name)) return name;
  return undefined;
}

/** The format of the first subprotocol we know; without any offer each message tells its own by being text or binary. */
function offeredFormat(header: string | undefined): Format | undefined {
  if (header === undefined) return undefined;
  const chosen = chosenSubprotocol(new Set(header.split(',').map((name) => name.trim())));
  if (chosen === undefined) throw failure('subprotocol_unsupported', { supported: [...SUBPROTOCOLS.keys()] });
  return SUBPROTOCOLS.get(chosen);
}

/** Namespace and database come in headers or, from browsers, which can't set any, in the query string. */
function readConnectSelection(request: IncomingMessage, url: string): Selection {
  const selection = readSelection(request);
  const query = readQueryString(url);
  if (query === undefined) return selection;
  const pick = (name: 'ns' | 'db', header: string | undefined): string | undefined => {
    const given = query[name];
    if (typeof given !== 'string') return header;
    const text = checkQueryName(given, name);
    if (header !== undefined && header !== text) {
      throw failure('header_conflict', { names: [`svc-${name}`, `the query string's ${name}`] });
    }
    return text;
  };
  return { ...selection, namespace: pick('ns', selection.namespace), database: pick('db', selection.database) };
}
