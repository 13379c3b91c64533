/** RPC over a WebSocket: each message is a request, in JSON or CBOR. */
import { andThen, isPromise, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { RpcConnection } from '../rpc/connection.js';
import { errorAnswer } from '../rpc/response.js';
import type { ObjectValue, Value } from '../value/value.js';
import type { Context } from './context.js';
import type { Conversation, Endpoint, Line } from './conversation.js';
import { decodeMessage } from './decode-message.js';
import { CBOR, type Format, JSON_FORMAT } from './format.js';
import { encodeAnswer } from './large-answer.js';

const FORMATS: ReadonlyMap<string, Format> = new Map([CBOR, JSON_FORMAT].map((format) => [format.name, format]));

/** RFC 6455, §7.4.1, and IANA's registry. */
const CLOSE = { unsupportedData: 1003, tryAgainLater: 1013 } as const;

export const RPC: Endpoint = {
  name: 'rpc',
  protocols: [...FORMATS.keys()],
  anyProtocol: true,
  admit() {},
  open(context, origin) {
    const { database, rpc } = context;
    const connection = new RpcConnection(database, origin, rpc);
    return {
      session: connection.session,
      begin(line, protocol) {
        const format = protocol === undefined ? undefined : FORMATS.get(protocol);
        return new RpcConversation(connection, line, format, context);
      },
      close: () => connection.close(),
    };
  },
};

/** What is answered to a message that can't be read. */
class Unreadable {
  constructor(readonly answer: ObjectValue) {}
}

class RpcConversation implements Conversation {
  readonly #rpc: RpcConnection;
  readonly #line: Line;
  /** What the subprotocol says; each message tells its own if there is none. */
  readonly #format: Format | undefined;
  /** How many requests may be under way or wait for their turns. */
  readonly #most: number;
  readonly #context: Context;
  readonly #isAbandoned = () => this.#line.isClosing;
  #pending = 0;
  /** Called when there are fewer again. */
  #goOn = () => {};
  /** Answers that are on their way, for they are large, or the client is slow. */
  readonly #unsent = new Set<Promise<void>>();
  /** What the client spoke last. */
  #spoken: Format = JSON_FORMAT;

  constructor(rpc: RpcConnection, line: Line, format: Format | undefined, context: Context) {
    this.#rpc = rpc;
    this.#line = line;
    this.#format = format;
    this.#most = context.options.limits.queuedRequests;
    this.#context = context;
    rpc.notify(
      (message) => this.#notify(message),
      ({ message }) => line.close(CLOSE.tryAgainLater, message),
    );
  }

  receive(data: Uint8Array, isBinary: boolean): PromiseOrValue<void> {
    const format = isBinary ? CBOR : JSON_FORMAT;
    if (this.#format !== undefined && this.#format !== format) {
      const kind = isBinary ? 'text' : 'binary';
      return this.#line.close(
        CLOSE.unsupportedData,
        `This connection speaks ${this.#format.name}, in ${kind} messages`,
      );
    }
    this.#spoken = format;
    let message: PromiseOrValue<Value>;
    try {
      message = decodeMessage(data, format, this.#context, this.#isAbandoned);
    } catch (thrown) {
      return this.#take(this.#unreadable(thrown), format);
    }
    if (!isPromise(message)) return this.#take(message, format);
    return message.catch((thrown: unknown) => this.#unreadable(thrown)).then((decoded) => this.#take(decoded, format));
  }

  /** There is no id to answer to. */
  #unreadable(thrown: unknown): Unreadable {
    return new Unreadable(errorAnswer(null, this.#rpc.report(thrown)));
  }

  #take(message: Value | Unreadable, format: Format): PromiseOrValue<void> {
    const answered = this.#answer(message, format);
    if (!isPromise(answered)) return undefined;
    this.#pending++;
    const done = () => {
      this.#pending--;
      this.#goOn();
    };
    answered.then(done, (thrown) => {
      this.#rpc.report(thrown);
      done();
    });
    if (this.#pending < this.#most) return undefined;
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  #answer(message: Value | Unreadable, format: Format): PromiseOrValue<void> {
    const deliver = (answer: ObjectValue) => {
      const sent = andThen(this.#encode(answer, format), (data) => this.#line.send(data, format === CBOR));
      if (isPromise(sent)) this.#hold(sent);
      return sent;
    };
    if (message instanceof Unreadable) return deliver(message.answer);
    return this.#rpc.take(message, format === JSON_FORMAT, deliver);
  }

  get isBusy(): boolean {
    return this.#pending > 0;
  }

  settle(): Promise<void> {
    return this.#rpc.settle();
  }

  isSignedIn(): boolean {
    return this.#rpc.isSignedIn();
  }

  close(): void {
    this.#rpc.close();
  }

  /** A live query may have begun with a request whose answer is being written: its client has to know of it first. */
  #hold(sent: Promise<void>): void {
    this.#unsent.add(sent);
    const done = () => this.#unsent.delete(sent);
    sent.then(done, done);
  }

  #notify(message: ObjectValue): Promise<void> | undefined {
    if (this.#line.isClosing) return undefined;
    if (this.#unsent.size > 0) return Promise.allSettled(this.#unsent).then(() => this.#notify(message));
    const format = this.#format ?? this.#spoken;
    let data: string | Uint8Array;
    try {
      data = format.encode(message);
    } catch (thrown) {
      // What can't be said is left out; the others are told.
      this.#rpc.report(thrown);
      return undefined;
    }
    return this.#line.send(data, format === CBOR);
  }

  #encode(answer: ObjectValue, format: Format): PromiseOrValue<string | Uint8Array> {
    return otherwise(
      () => encodeAnswer(answer, format, this.#context.environment),
      (thrown) => format.encode(errorAnswer(answer.id, this.#rpc.report(thrown))),
    );
  }
}
