/** What is said over a WebSocket, and how it is said. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { TesseraError } from '../errors/error.js';
import type { Origin, Session } from '../session/contract.js';
import type { Context } from './context.js';

/** The WebSocket, as its socketSession sees it. */
export interface SocketChannel {
  /** Nothing more is to be said. */
  readonly isClosing: boolean;
  /**
   * Bytes that aren't binary are a text in UTF-8. Waits only when the client is slow to read.
   * @throws TesseraError of a budget of memory that is full: it isn't sent then
   */
  send(data: string | Uint8Array, isBinary?: boolean): Promise<void> | undefined;
  /** The client can't be served for want of something that may be there later. */
  closeFor(reason: TesseraError): undefined;
  /** Codes of RFC 6455 §7.4.1 or the protocol's own. */
  close(code: number, reason: string): void;
}

export interface SocketSession {
  /** Takes a message; the next one is taken up when it is done, which may be before it is answered. Must not fail. */
  receive(data: Uint8Array, isBinary: boolean): PromiseOrValue<void>;
  /** Larger messages are for those who have signed in. */
  isSignedIn(): boolean;
  /** Whether anything that was taken isn't answered yet. */
  readonly isBusy: boolean;
  /** Waits for the answers that are being made; nothing more is begun. */
  settle(): PromiseOrValue<void>;
  /** Nobody is there any more. */
  close(): void;
}

/** A socketSession that hasn't begun. */
export interface PendingSocketSession {
  /** As whom the client begins. */
  readonly session: Session;
  /** `protocol` is the subprotocol that was agreed on. */
  begin(line: SocketChannel, protocol: string | undefined): SocketSession;
  /** It won't begin. */
  close(): void;
}

/** A path at which there are WebSockets. */
export interface SocketEndpoint {
  /** As rules call it. */
  readonly name: string;
  /** The subprotocols that are spoken there. */
  readonly protocols: readonly string[];
  /** Whether a client may come without naming any. */
  readonly anyProtocol: boolean;
  /** @throws TesseraError when it is switched off */
  admit(context: Context): void;
  open(context: Context, origin: Origin): PendingSocketSession;
}
