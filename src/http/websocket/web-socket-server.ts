/** WebSockets at `/rpc` and `/graphql`: handshake, connection limits and liveness. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer as WsServer } from 'ws';
import { asTesseraError, failure } from '../../errors/error.js';
import { checkRoute } from '../../rpc/capabilities.js';
import { RequestTrace } from '../../tracing/request-trace.js';
import { clientAddress } from '../base/client-address.js';
import type { Context } from '../base/context.js';
import { checkOrigin } from '../base/cors.js';
import { LIMIT_SETTINGS } from '../base/options.js';
import { checkQueryName, type RequestSelection, readSelection } from '../base/request-headers.js';
import { checkRememberedPassword } from '../request/cross-site.js';
import { readQueryString } from '../request/query-string.js';
import { originOf, prepareSession } from '../request/request-session.js';
import { rawError } from '../response/raw-error.js';
import { logInternal } from '../response/reply.js';
import { MOST_FRAGMENTS } from './frame-assembler.js';
import { GRAPHQL } from './graphql-endpoint.js';
import { RPC } from './rpc-endpoint.js';
import type { SocketChannel, SocketEndpoint } from './socket-endpoint.js';
import { WebSocketConnection } from './web-socket-connection.js';

const ENDPOINTS: ReadonlyMap<string, SocketEndpoint> = new Map([
  ['/rpc', RPC],
  ['/graphql', GRAPHQL],
]);

/** The library closes without a reason when a message exceeds a limit. */
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
  readonly #server: WsServer;
  readonly #connections = new Set<WebSocketConnection>();
  #stopPings: () => void = () => {};
  #closing = false;

  constructor(context: Context) {
    this.#context = context;
    this.#server = new WsServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      WebSocket: ExplainingWebSocket,
      maxPayload: context.options.limits.guestMessage,
      maxFragments: MOST_FRAGMENTS,
      handleProtocols: (offered, request) => {
        const spoken = endpointOf(request)?.protocols;
        return [...offered].find((name) => spoken?.includes(name)) ?? false;
      },
    });
    this.#server.on('wsClientError', (error, socket, request) =>
      rawError(socket, failure('upgrade_invalid', { reason: error.message }), { id: context.requestId(request) }),
    );
    this.#schedulePings();
  }

  /** Handles an upgrade request. Never throws. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the WebSocket takes the socket over, an error without a listener would end the process.
    const ignore = () => socket.destroy();
    socket.on('error', ignore);
    this.#accept(request, socket, head).then(
      () => socket.removeListener('error', ignore),
      (thrown) => {
        const error = asTesseraError(thrown);
        const id = this.#context.requestId(request);
        const trace = new RequestTrace(id, request.headers['traceparent']);
        if (error.code === 'internal') logInternal(this.#context.log, error, trace);
        rawError(socket, error, { id });
      },
    );
  }

  /** Lets every connection complete its current request, then closes it. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stopPings();
    await Promise.all([...this.#connections].map((connection) => connection.shutDown()));
  }

  async #accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { options, connections } = this.#context;
    if (this.#closing) throw failure('shutting_down');
    const endpoint = endpointOf(request);
    if (endpoint === undefined) throw failure('route_missing');
    checkRoute(options.capabilities, endpoint.name);
    endpoint.admit(this.#context);
    checkOrigin(request.headers, options);
    checkRememberedPassword(request, options);
    const protocol = agreedProtocol(endpoint, request.headers['sec-websocket-protocol']);
    const selection = readConnectSelection(request);
    const release = connections.claim(clientAddress(request, options.clientAddress) ?? '');
    try {
      const opening = endpoint.open(this.#context, originOf(request, selection, this.#context), request);
      try {
        await prepareSession(opening.session, request.headers.authorization, selection);
        if (socket.destroyed) throw failure('upgrade_invalid', { reason: 'the client went away' });
        let opened = false;
        this.#server.handleUpgrade(request, socket, head, (webSocket) => {
          opened = true;
          const begin = (line: SocketChannel) => opening.begin(line, protocol);
          this.#keep(
            new WebSocketConnection(webSocket, socket, opening.session.memory.connection, begin, this.#context),
            webSocket,
            release,
          );
        });
        if (opened) return;
        // The handshake is invalid; `wsClientError` has responded.
        opening.close();
        release();
      } catch (error) {
        opening.close();
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

  /** One timer for all connections. */
  #schedulePings(): void {
    const { environment, options } = this.#context;
    this.#stopPings = environment.timers.after(options.pingInterval, () => {
      for (const connection of this.#connections) connection.beat();
      this.#schedulePings();
    });
  }
}

function endpointOf({ url = '' }: IncomingMessage): SocketEndpoint | undefined {
  return ENDPOINTS.get((url.split('?', 1)[0] ?? '').replace(/\/$/, ''));
}

/**
 * The client's first subprotocol that the endpoint supports.
 * @throws TesseraError `subprotocol_unsupported`
 */
function agreedProtocol({ protocols, anyProtocol }: SocketEndpoint, header: string | undefined): string | undefined {
  if (header === undefined && anyProtocol) return undefined;
  const offered = header?.split(',').map((name) => name.trim()) ?? [];
  const chosen = offered.find((name) => protocols.includes(name));
  if (chosen === undefined) throw failure('subprotocol_unsupported', { supported: protocols });
  return chosen;
}

/** Namespace and database from headers or, for browsers, which cannot set any, from the query string. */
function readConnectSelection(request: IncomingMessage): RequestSelection {
  const selection = readSelection(request);
  const query = readQueryString(request.url ?? '');
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
