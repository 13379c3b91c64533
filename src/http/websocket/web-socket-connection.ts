/**
 * A WebSocket connection: processes messages in order and sends responses as fast as the client reads. Its socket
 * session implements the protocol.
 */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { isPromise } from '../../base/promise-or-value.js';
import type { MemoryScope } from '../../base/work/memory-scope.js';
import type { Environment } from '../../env/environment.js';
import { TimeSlice } from '../../env/time-slice.js';
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { ConnectionMemory } from '../../session/resources/server-memory.js';
import type { Context } from '../base/context.js';
import type { HttpOptions } from '../base/options.js';
import type { RequestTurns } from '../base/request-turns.js';
import { assembleFrames, type FrameAssembler, setMaxPayload } from './frame-assembler.js';
import type { SocketChannel, SocketSession } from './socket-endpoint.js';

/** Close codes of RFC 6455 §7.4.1. */
const CLOSE = { goingAway: 1001, policy: 1008, tryAgainLater: 1013 } as const;

/** Smaller messages, in total, aren't charged to the memory budget in either direction, in bytes. */
const SMALL = 64 * 1024;

/** Milliseconds of processing between yields, so that many cheap requests don't starve other connections. */
const SLICE = 5;

const LONGEST_REASON = 123;

/** Milliseconds for a client to read the rest and acknowledge the close while the server stops. */
const CLOSE_PATIENCE = 2_000;

interface Message {
  readonly data: Uint8Array;
  readonly isBinary: boolean;
}

export class WebSocketConnection implements SocketChannel {
  readonly #socket: WebSocket;
  /** The underlying stream. */
  readonly #stream: Duplex;
  readonly #socketSession: SocketSession;
  readonly #options: HttpOptions;
  readonly #environment: Environment;
  readonly #turns: RequestTurns;
  #waiting: Message[] = [];
  /** Bytes of queued messages. */
  #waitingBytes = 0;
  /** Messages being received. */
  readonly #frames: FrameAssembler;
  readonly #incoming: MemoryScope;
  readonly #memory: ConnectionMemory;
  #working: Promise<void> | undefined;
  #closing = false;
  /** Messages waiting for a slow client. */
  #blocked = 0;
  #alive = true;
  #lastRequest: number;
  /** Began when messages last waited. */
  #slice: TimeSlice;
  #trusted = false;

  constructor(
    socket: WebSocket,
    stream: Duplex,
    memory: ConnectionMemory,
    begin: (line: SocketChannel) => SocketSession,
    { options, environment, log, turns }: Context,
  ) {
    this.#turns = turns;
    this.#socket = socket;
    this.#stream = stream;
    this.#memory = memory;
    memory.awaitsClient = () => this.#blocked > 0;
    this.#incoming = memory.budget.part();
    this.#options = options;
    this.#environment = environment;
    this.#slice = new TimeSlice(environment, { length: SLICE });
    this.#lastRequest = environment.clock.monotonic();
    this.#socketSession = begin(this);
    this.#frames = assembleFrames(socket, () => this.#longestMessage);
    this.#adjustLimit();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    stream.on('data', () => this.#receivePart());
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

  /** Called at every ping interval: closes dead and idle connections, pings the others. */
  beat(): void {
    // Silence is inconclusive while messages are processed and the socket isn't read, unless the client doesn't read.
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

  /** Completes the requests in progress and closes; queued ones are dropped. */
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
    // The library delivers a single buffer by default.
    const message = { data: data as Buffer, isBinary };
    this.#waitingBytes += message.data.length;
    if (!this.#reserveIncoming()) return;
    this.#waiting.push(message);
    const isFull = this.#waitingBytes >= this.#longestMessage;
    if (isFull || this.#waiting.length >= this.#options.limits.queuedRequests) this.#socket.pause();
    this.#working ??= this.#work();
  }

  #receivePart(): void {
    if (!this.#closing && this.#frames.held > SMALL) this.#reserveIncoming();
  }

  /** Reserves memory for received messages; closes the connection if the budget is exhausted. */
  #reserveIncoming(): boolean {
    const bytes = this.#waitingBytes + this.#frames.held;
    try {
      this.#incoming.resize(bytes > SMALL ? bytes : 0);
      return true;
    } catch (thrown) {
      this.closeFor(asTesseraError(thrown));
      return false;
    }
  }

  /** Processes queued messages in order. */
  async #work(): Promise<void> {
    const { clock } = this.#environment;
    // Further messages of the same chunk have been queued by then.
    await undefined;
    this.#slice = new TimeSlice(this.#environment, { length: SLICE });
    for (;;) {
      const batch = this.#waiting;
      if (batch.length === 0) break;
      this.#waiting = [];
      if (this.#socket.isPaused) this.#socket.resume();
      for (const message of batch) {
        const wait = this.#waitForTurn();
        if (wait !== undefined) await wait;
        if (this.#closing) break;
        const done = this.#socketSession.receive(message.data, message.isBinary);
        if (isPromise(done)) await done;
        this.#waitingBytes -= message.data.length;
        const turn = this.#slice.checkpoint();
        if (turn !== undefined) await turn;
      }
      this.#reserveIncoming();
    }
    this.#lastRequest = clock.monotonic();
    this.#working = undefined;
  }

  /** Until the next message may begin; `undefined` if it may now. */
  #waitForTurn(): Promise<void> | undefined {
    let hasBegun = false;
    let resume = () => {};
    this.#turns.begin(this, () => {
      hasBegun = true;
      resume();
      return true;
    });
    if (hasBegun) return undefined;
    return new Promise((resolve) => {
      resume = resolve;
    });
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /**
   * Sends a notification, in a write of its own: the official JavaScript client loses all but the first of those that
   * it reads in one go. The promise resolves when a slow client has read enough: who sends takes turns with others.
   */
  notify(data: string | Uint8Array, isBinary: boolean): Promise<void> | undefined {
    if (this.#stream.writableCorked > 0) {
      this.#stream.uncork();
      this.#stream.cork();
    }
    return this.#write(data, isBinary);
  }

  /** The promise resolves when a slow client has read enough, and when others have had a turn. */
  send(data: string | Uint8Array, isBinary = typeof data !== 'string'): Promise<void> | undefined {
    return this.#write(data, isBinary) ?? this.#slice.checkpoint();
  }

  /** The promise resolves when a slow client has read enough. */
  #write(data: string | Uint8Array, isBinary: boolean): Promise<void> | undefined {
    this.#adjustLimit();
    const options = { binary: isBinary };
    const buffered = this.#socket.bufferedAmount;
    if (buffered + data.length <= SMALL) {
      this.#cork();
      this.#socket.send(data, options);
      return;
    }
    const sent = this.#reserveOutgoing(Buffer.byteLength(data));
    this.#cork();
    // A waiting text would take up to two bytes of the heap for each character.
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    if (buffered <= this.#options.limits.sendBuffer) {
      this.#socket.send(bytes, options, sent);
      return;
    }
    this.#blocked++;
    return new Promise((resolve) => {
      this.#socket.send(bytes, options, () => {
        sent();
        this.#blocked--;
        resolve();
      });
    });
  }

  /** Reserves memory for what the client hasn't read; call the result to release it. */
  #reserveOutgoing(bytes: number): () => void {
    const budget: MemoryScope = this.#memory.work;
    budget.charge(bytes);
    return () => budget.release(bytes);
  }

  /**
   * What is sent in one round of the event loop is written once, at its end: the writes of all connections come in a
   * row then, and sixteen clients cost a quarter less (`bench/records/requests.md`).
   */
  #cork(): void {
    if (this.#stream.writableCorked > 0) return;
    this.#stream.cork();
    this.#turns.atEnd(() => this.#stream.uncork());
  }

  /** Clients that are signed in may send larger messages. */
  #adjustLimit(): void {
    const trusted = this.#socketSession.isSignedIn();
    if (trusted === this.#trusted) return;
    this.#trusted = trusted;
    setMaxPayload(this.#socket, this.#longestMessage);
  }

  get #longestMessage(): number {
    const { message, guestMessage } = this.#options.limits;
    return this.#trusted ? message : guestMessage;
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
    // Further input is ignored.
    this.#socket.pause();
    this.#environment.timers.after(CLOSE_PATIENCE, () => this.#socket.terminate());
    return undefined;
  }

  close(code: number, reason: string): void {
    this.#closing = true;
    this.#socket.close(code, shortened(reason));
  }
}

/** A close reason has at most 123 bytes (RFC 6455, section 5.5). */
function shortened(reason: string): string {
  return Buffer.byteLength(reason) <= LONGEST_REASON
    ? reason
    : Buffer.from(reason)
        .subarray(0, LONGEST_REASON)
        .toString()
        .replace(/\ufffd+$/, '');
}
