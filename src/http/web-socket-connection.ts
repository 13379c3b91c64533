/** One WebSocket: requests in the order they came, answers as fast as the client reads them. */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { andThen, isPromise, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import type { RpcConnection } from '../rpc/connection.js';
import { errorAnswer } from '../rpc/response.js';
import type { ObjectValue } from '../value/value.js';
import type { Context } from './context.js';
import { CBOR, type Format, JSON_FORMAT } from './format.js';
import type { HttpOptions } from './options.js';

/** Close codes of RFC 6455 §7.4.1. */
const CLOSE = { goingAway: 1001, unsupportedData: 1003, policy: 1008, tooBig: 1009 } as const;

/** A connection with many cheap requests gives way to the others after so many milliseconds. */
const SLICE = 5;

/** Milliseconds that a client may take to answer when the server closes the connection to stop. */
const CLOSE_PATIENCE = 2_000;

interface Message {
  readonly data: Uint8Array;
  readonly format: Format;
}

export class WebSocketConnection {
  readonly #socket: WebSocket;
  /** What carries it. */
  readonly #stream: Duplex;
  readonly #rpc: RpcConnection;
  readonly #options: HttpOptions;
  readonly #environment: Environment;
  /** What the subprotocol says; each message tells its own if there is none. */
  readonly #format: Format | undefined;
  /** What the client spoke last. */
  #spoken: Format = JSON_FORMAT;
  #waiting: Message[] = [];
  #working: Promise<void> | undefined;
  #closing = false;
  /** The client is slow to read, and we wait for it. */
  #blocked = false;
  #alive = true;
  #lastRequest: number;
  #trusted = false;

  constructor(
    socket: WebSocket,
    stream: Duplex,
    rpc: RpcConnection,
    { options, log }: Context,
    environment: Environment,
    format: Format | undefined,
  ) {
    this.#socket = socket;
    this.#stream = stream;
    this.#rpc = rpc;
    this.#options = options;
    this.#environment = environment;
    this.#format = format;
    this.#lastRequest = environment.clock.monotonic();
    this.#adjustLimit();
    rpc.notify((message) => this.#notify(message));
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => {
      this.#alive = true;
    });
    socket.on('error', (error) => log.debug({ error }, 'A WebSocket failed'));
    const cancelDeadline = this.#demandSignIn();
    socket.on('close', () => {
      cancelDeadline();
      this.#closing = true;
      this.#waiting = [];
      rpc.close();
    });
  }

  /** Called at every beat: closes what is dead or idle, pings the others. */
  beat(): void {
    // While we work we may not be reading, so that silence says nothing; unless it is the client who doesn't read.
    if (this.#working !== undefined && !this.#blocked) return;
    const idle = this.#environment.clock.monotonic() - this.#lastRequest;
    if (!this.#alive) this.#socket.terminate();
    else if (this.#options.idleTimeout > 0 && idle > this.#options.idleTimeout && this.#working === undefined) {
      this.#close(CLOSE.policy, 'No request came within the time allowed (--idle-timeout)');
    } else {
      this.#alive = false;
      this.#socket.ping();
    }
  }

  /** Finishes the request under way and closes; those that wait are dropped, so that clients send them to whoever comes next. */
  async shutDown(): Promise<void> {
    this.#closing = true;
    this.#waiting = [];
    await this.#working;
    this.#close(CLOSE.goingAway, 'The server is shutting down');
    this.#environment.timers.after(CLOSE_PATIENCE, () => this.#socket.terminate());
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#closing) return;
    this.#alive = true;
    const format = isBinary ? CBOR : JSON_FORMAT;
    if (this.#format !== undefined && this.#format !== format) {
      this.#close(
        CLOSE.unsupportedData,
        `This connection speaks ${this.#format.name}, in ${isBinary ? 'text' : 'binary'} messages`,
      );
      return;
    }
    // The library hands over one buffer, unless told otherwise.
    this.#spoken = format;
    this.#waiting.push({ data: data as Buffer, format });
    if (this.#waiting.length >= this.#options.limits.queuedRequests) this.#socket.pause();
    this.#working ??= this.#work();
  }

  /** Answers what waits, one request after the other. */
  async #work(): Promise<void> {
    const { clock, timers } = this.#environment;
    // Whatever came in the same piece of data is here, too, when this goes on.
    await undefined;
    let sliceEnd = clock.monotonic() + SLICE;
    for (;;) {
      const batch = this.#waiting;
      if (batch.length === 0) break;
      this.#waiting = [];
      if (this.#socket.isPaused) this.#socket.resume();
      for (const message of batch) {
        if (this.#closing) break;
        const answered = this.#answer(message);
        if (isPromise(answered)) await answered;
        if (clock.monotonic() < sliceEnd) continue;
        await timers.yield();
        sliceEnd = clock.monotonic() + SLICE;
      }
    }
    this.#lastRequest = clock.monotonic();
    this.#working = undefined;
  }

  #answer({ data, format }: Message): PromiseOrValue<void> {
    const answer = otherwise(
      () => this.#rpc.handle(format.decode(data), format === JSON_FORMAT),
      // It couldn't be read, so there is no id to answer to.
      (thrown) => errorAnswer(null, this.#rpc.report(thrown)),
    );
    return andThen(answer, (answer) => {
      this.#adjustLimit();
      return this.#send(this.#encode(answer, format));
    });
  }

  #notify(message: ObjectValue): Promise<void> | undefined {
    if (this.#closing) return undefined;
    const format = this.#format ?? this.#spoken;
    let data: string | Uint8Array;
    try {
      data = format.encode(message);
    } catch (thrown) {
      // What can't be said is left out; the others are told.
      this.#rpc.report(thrown);
      return undefined;
    }
    return this.#send(data);
  }

  #encode(answer: ObjectValue, format: Format): string | Uint8Array {
    try {
      return format.encode(answer);
    } catch (thrown) {
      return format.encode(errorAnswer(answer.id, this.#rpc.report(thrown)));
    }
  }

  /** Waits only when the client is slow to read: nothing more is worked on for it until it has. */
  #send(data: string | Uint8Array): Promise<void> | undefined {
    this.#cork();
    if (this.#socket.bufferedAmount <= this.#options.limits.sendBuffer) {
      this.#socket.send(data);
      return undefined;
    }
    this.#blocked = true;
    return new Promise((resolve) => {
      this.#socket.send(data, () => {
        this.#blocked = false;
        resolve();
      });
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
    const trusted = this.#rpc.isSignedIn();
    if (trusted === this.#trusted) return;
    this.#trusted = trusted;
    const { message, guestMessage } = this.#options.limits;
    setMaxPayload(this.#socket, trusted ? message : guestMessage);
  }

  #demandSignIn(): () => void {
    const { signInTimeout } = this.#options;
    if (signInTimeout === 0) return () => {};
    return this.#environment.timers.after(signInTimeout, () => {
      if (!this.#rpc.isSignedIn())
        this.#close(CLOSE.policy, 'Nobody signed in within the time allowed (--sign-in-timeout)');
    });
  }

  #close(code: number, reason: string): void {
    this.#closing = true;
    this.#socket.close(code, reason);
  }
}

/** The library takes its limit when a socket opens and has no way to change it later. */
function setMaxPayload(socket: WebSocket, bytes: number): void {
  const { _receiver: receiver } = socket as unknown as { readonly _receiver?: { _maxPayload: number } };
  if (receiver !== undefined) receiver._maxPayload = bytes;
}
