/** The interface between WebSocket connections and the protocols on them. */
import type { IncomingMessage } from 'node:http';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { TesseraError } from '../../errors/error.js';
import type { Origin, Session } from '../../session/contract.js';
import type { Context } from '../base/context.js';

/** A WebSocket as seen by its protocol. */
export interface SocketChannel {
  /** Nothing more can be sent. */
  readonly isClosing: boolean;
  /**
   * Bytes that aren't binary are UTF-8 text. The promise resolves when a slow client has read enough.
   * @throws TesseraError if the memory budget is exhausted; nothing is sent then
   */
  send(data: string | Uint8Array, isBinary?: boolean): Promise<void> | undefined;
  /** The same for a notification. */
  notify(data: string | Uint8Array, isBinary: boolean): Promise<void> | undefined;
  /** Closes because of a temporary lack of resources. */
  closeFor(reason: TesseraError): undefined;
  /** Close codes of RFC 6455, section 7.4.1, or of the subprotocol. */
  close(code: number, reason: string): void;
}

export interface SocketSession {
  /** Processes a message; the next follows when the promise resolves, possibly before the response. Must not fail. */
  receive(data: Uint8Array, isBinary: boolean): PromiseOrValue<void>;
  /** Clients that are signed in may send larger messages. */
  isSignedIn(): boolean;
  /** Whether a message is still unanswered. */
  readonly isBusy: boolean;
  /** Resolves when all responses in progress are sent; begins no further request. */
  settle(): PromiseOrValue<void>;
  /** The connection is closed. */
  close(): void;
}

/** A session of a WebSocket whose handshake isn't complete. */
export interface PendingSocketSession {
  /** The session of the client. */
  readonly session: Session;
  /** `protocol`: the negotiated subprotocol. */
  begin(line: SocketChannel, protocol: string | undefined): SocketSession;
  /** The handshake failed. */
  close(): void;
}

/** A path that accepts WebSockets. */
export interface SocketEndpoint {
  /** The name in capability rules. */
  readonly name: string;
  /** The supported subprotocols. */
  readonly protocols: readonly string[];
  /** Whether a client may connect without a subprotocol. */
  readonly anyProtocol: boolean;
  /**
   * Checks that the endpoint is enabled.
   * @throws TesseraError `route_denied`
   */
  admit(context: Context): void;
  /** `request`: the one that opens the WebSocket. */
  open(context: Context, origin: Origin, request: IncomingMessage): PendingSocketSession;
}
