/** One WebSocket: messages are taken in the order they came, and answers sent as fast as the client reads them. What they say is for its socketSession. */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { type MemoryBudget, Reservation } from '../base/memory-budget.js';
import { isPromise } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { asTesseraError, type TesseraError } from '../errors/error.js';
import type { ConnectionMemory } from '../session/database/server-memory.js';
import type { Context } from './context.js';
import type { HttpOptions } from './options.js';
import type { SocketChannel, SocketSession } from './socket-endpoint.js';

/** Close codes of RFC 6455 §7.4.1. */
const CLOSE = { goingAway: 1001, policy: 1008, tryAgainLater: 1013 } as const;

/** Messages of no more bytes together count for nothing, neither on their way in nor out. */
const SMALL = 64 * 1024;

/** A connection with many cheap requests gives way to the others after so many milliseconds. */
const SLICE = 5;

const LONGEST_REASON = 123;

/** Milliseconds that a client may take to read what is left, and to answer when the connection is closed, while the server stops. */
const CLOSE_PATIENCE = 2_000;

interface Message {
  readonly data: Uint8Array;
  readonly isBinary: boolean;
}

export class WebSocketConnection implements SocketChannel {
  readonly #socket: WebSocket;
  /** What carries it. */
  readonly #stream: Duplex;
  readonly #socketSession: SocketSession;
  readonly #options: HttpOptions;
  readonly #environment: Environment;
  #waiting: Message[] = [];
  /** Bytes of the messages that wait, and of the one that hasn't come in completely. */
  #waitingBytes = 0;
  #partialBytes = 0;
  readonly #incoming: Reservation;
  readonly #memory: ConnectionMemory;
  #working: Promise<void> | undefined;
  #closing = false;
  /** How many messages wait for a client that is slow to read. */
  #blocked = 0;
  #alive = true;
  #lastRequest: number;
  /** When it is time to give way to the others. */
  #sliceEnd = 0;
  #trusted = false;

  constructor(
    socket: WebSocket,
    stream: Duplex,
    memory: ConnectionMemory,
    begin: (line: SocketChannel) => SocketSession,
    { options, environment, log }: Context,
  ) {
    this.#socket = socket;
    this.#stream = stream;
    this.#memory = memory;
    this.#incoming = new Reservation(memory.budget);
    this.#options = options;
    this.#environment = environment;
    this.#lastRequest = environment.clock.monotonic();
    this.#socketSession = begin(this);
    this.#adjustLimit();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    stream.on('data', (chunk: Uint8Array) => this.#receivePart(chunk.length));
    socket.on('pong', () => {
      this.#alive = true;
    });
    socket.on('error', (error) => log.debug({ error }, 'A WebSocket failed'));
    const cancelDeadline = this.#demandSignIn();
    socket.on('close', () => {
      cancelDeadline();
      this.#closing = true;
      this.#waiting = [];
      this.#incoming.resize(0);
      this.#socketSession.close();
    });
  }

  /** Called at every beat: closes what is dead or idle, pings the others. */
  beat(): void {
    // While we work we may not be reading, so that silence says nothing; unless it is the client who doesn't read.
    if (this.#working !== undefined && this.#blocked === 0) return;
    if (this.#socketSession.isBusy) this.#lastRequest = this.#environment.clock.monotonic();
    const idle = this.#environment.clock.monotonic() - this.#lastRequest;
    if (!this.#alive) this.#socket.terminate();
    else if (this.#options.idleTimeout > 0 && idle > this.#options.idleTimeout && this.#working === undefined) {
      this.close(CLOSE.policy, 'No request came within the time allowed (--idle-timeout)');
    } else {
      this.#alive = false;
      this.#socket.ping();
    }
  }

  /** Finishes the requests under way and closes; those that wait are dropped, so that clients send them to whoever comes next. */
  async shutDown(): Promise<void> {
    this.#closing = true;
    this.#waiting = [];
    const cancelCut = this.#environment.timers.after(CLOSE_PATIENCE, () => {
      if (this.#blocked > 0) this.#socket.terminate();
    });
    await Promise.all([this.#socketSession.settle(), this.#working]);
    cancelCut();
    this.close(CLOSE.goingAway, 'The server is shutting down');
    this.#environment.timers.after(CLOSE_PATIENCE, () => this.#socket.terminate());
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#closing) return;
    this.#alive = true;
    // The library hands over one buffer, unless told otherwise.
    const message = { data: data as Buffer, isBinary };
    this.#partialBytes = 0;
    this.#waitingBytes += message.data.length;
    if (!this.#reserveIncoming()) return;
    this.#waiting.push(message);
    const { queuedRequests, message: largest, guestMessage } = this.#options.limits;
    const isFull = this.#waitingBytes >= (this.#trusted ? largest : guestMessage);
    if (isFull || this.#waiting.length >= queuedRequests) this.#socket.pause();
    this.#working ??= this.#work();
  }

  #receivePart(bytes: number): void {
    if (this.#closing) return;
    this.#partialBytes += bytes;
    if (this.#partialBytes > SMALL) this.#reserveIncoming();
  }

  /** Counts what has come in and isn't done; a connection that has no room for it is closed. */
  #reserveIncoming(): boolean {
    const bytes = this.#waitingBytes + this.#partialBytes;
    try {
      this.#incoming.resize(bytes > SMALL ? bytes : 0);
      return true;
    } catch (thrown) {
      this.closeFor(asTesseraError(thrown));
      return false;
    }
  }

  /** Hands on what waits, one message after the other. */
  async #work(): Promise<void> {
    const { clock } = this.#environment;
    // Whatever came in the same piece of data is here, too, when this goes on.
    await undefined;
    this.#sliceEnd = clock.monotonic() + SLICE;
    for (;;) {
      const batch = this.#waiting;
      if (batch.length === 0) break;
      this.#waiting = [];
      if (this.#socket.isPaused) this.#socket.resume();
      for (const message of batch) {
        if (this.#closing) break;
        const done = this.#socketSession.receive(message.data, message.isBinary);
        if (isPromise(done)) await done;
        this.#waitingBytes -= message.data.length;
        const way = this.#giveWay();
        if (way !== undefined) await way;
      }
      this.#reserveIncoming();
    }
    this.#lastRequest = clock.monotonic();
    this.#working = undefined;
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /** Waits when the client is slow to read, and when it is time to give way to others. */
  send(data: string | Uint8Array, isBinary = typeof data !== 'string'): Promise<void> | undefined {
    this.#adjustLimit();
    const sent = data.length > SMALL ? this.#reserveOutgoing(data.length) : undefined;
    this.#cork();
    if (this.#socket.bufferedAmount <= this.#options.limits.sendBuffer) {
      this.#socket.send(data, { binary: isBinary }, sent);
      return this.#giveWay();
    }
    this.#blocked++;
    return new Promise((resolve) => {
      this.#socket.send(data, { binary: isBinary }, () => {
        sent?.();
        this.#blocked--;
        resolve();
      });
    });
  }

  /** What the client hasn't read yet is held; the answer lets go of it. */
  #reserveOutgoing(bytes: number): () => void {
    const budget: MemoryBudget = this.#memory.work;
    budget.reserve(bytes);
    return () => budget.release(bytes);
  }

  #giveWay(): Promise<void> | undefined {
    const { clock, timers } = this.#environment;
    if (clock.monotonic() < this.#sliceEnd) return undefined;
    return timers.yield().then(() => {
      this.#sliceEnd = clock.monotonic() + SLICE;
    });
  }

  /** Answers that are ready in the same turn of the event loop leave in one write. */
  #cork(): void {
    if (this.#stream.writableCorked > 0) return;
    this.#stream.cork();
    process.nextTick(() => this.#stream.uncork());
  }

  /** Larger messages are for those who have signed in. */
  #adjustLimit(): void {
    const trusted = this.#socketSession.isSignedIn();
    if (trusted === this.#trusted) return;
    this.#trusted = trusted;
    const { message, guestMessage } = this.#options.limits;
    setMaxPayload(this.#socket, trusted ? message : guestMessage);
  }

  #demandSignIn(): () => void {
    const { signInTimeout } = this.#options;
    if (signInTimeout === 0) return () => {};
    return this.#environment.timers.after(signInTimeout, () => {
      if (!this.#socketSession.isSignedIn())
        this.close(CLOSE.policy, 'Nobody signed in within the time allowed (--sign-in-timeout)');
    });
  }

  closeFor({ message }: TesseraError): undefined {
    if (this.#closing) return undefined;
    this.close(CLOSE.tryAgainLater, message);
    // What else the client sends isn't taken in.
    this.#socket.pause();
    this.#environment.timers.after(CLOSE_PATIENCE, () => this.#socket.terminate());
    return undefined;
  }

  close(code: number, reason: string): void {
    this.#closing = true;
    this.#socket.close(code, shortened(reason));
  }
}

/** A reason takes 123 bytes at most (RFC 6455, §5.5). */
function shortened(reason: string): string {
  return Buffer.byteLength(reason) <= LONGEST_REASON
    ? reason
    : Buffer.from(reason)
        .subarray(0, LONGEST_REASON)
        .toString()
        .replace(/\ufffd+$/, '');
}

/** The library takes its limit when a socket opens and has no way to change it later. */
function setMaxPayload(socket: WebSocket, bytes: number): void {
  const { _receiver: receiver } = socket as unknown as { readonly _receiver?: { _maxPayload: number } };
  if (receiver !== undefined) receiver._maxPayload = bytes;
}
