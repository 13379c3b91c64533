/** RPC over a WebSocket: each message is a request. */
import { andThen, isPromise, lastly, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { TesseraError } from '../../errors/error.js';
import { RpcConnection } from '../../rpc/connection.js';
import type { Deliver } from '../../rpc/pipeline.js';
import { repeatedOf, wantsNoAnswer } from '../../rpc/request.js';
import { errorMessage } from '../../rpc/response.js';
import { type BodyFormat, FORMATS, JSON_FORMAT } from '../../value/codecs/formats.js';
import { UNREAD } from '../../value/codecs/message-member.js';
import { type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import type { Context } from '../base/context.js';
import { decodeMessage, weighMessage } from '../request/decode-message.js';
import { encodeAnswer } from '../response/large-answer.js';
import { socketMeter } from '../routes/request-metrics.js';
import type { SocketChannel, SocketEndpoint, SocketSession } from './socket-endpoint.js';

/** By their subprotocols, in the order in which errors name them. */
const SUBPROTOCOLS: ReadonlyMap<string, BodyFormat> = new Map(
  [...FORMATS].reverse().map((format) => [format.name, format]),
);

/** Smaller requests aren't charged to the memory budget: their number is limited. */
const SMALL = 16 * 1024;

/** RFC 6455, §7.4.1. */
const UNSUPPORTED_DATA = 1003;
const INVALID_DATA = 1007;
const TOO_BIG = 1009;

export const RPC: SocketEndpoint = {
  name: 'rpc',
  protocols: [...SUBPROTOCOLS.keys()],
  anyProtocol: true,
  admit() {},
  open(context, origin, request) {
    const { database, rpc } = context;
    const meter = socketMeter(context, request, 'websocket');
    const connection = new RpcConnection(database, origin, { ...rpc, meter });
    return {
      session: connection.session,
      begin(line, protocol) {
        const format = protocol === undefined ? undefined : SUBPROTOCOLS.get(protocol);
        return new RpcConversation(connection, line, format, context);
      },
      close: () => connection.close(),
    };
  },
};

/** Of a request that wants no answer. */
const unanswered: Deliver = () => undefined;

/** The error response to a message that can't be decoded. */
class Unreadable {
  constructor(readonly answer: ObjectValue) {}
}

class RpcConversation implements SocketSession {
  readonly #rpc: RpcConnection;
  readonly #line: SocketChannel;
  /** The negotiated format; without one, each message determines its own. */
  readonly #format: BodyFormat | undefined;
  readonly #context: Context;
  readonly #isAbandoned = () => this.#line.isClosing;
  #pending = 0;
  /** Resumes reading when the queue has room. */
  #goOn = () => {};
  /** Responses being encoded or sent. */
  readonly #unsent = new Set<Promise<void>>();
  /** The format of the client's last message. */
  #spoken: BodyFormat = JSON_FORMAT;

  constructor(rpc: RpcConnection, line: SocketChannel, format: BodyFormat | undefined, context: Context) {
    this.#rpc = rpc;
    this.#line = line;
    this.#format = format;
    this.#context = context;
    rpc.notify(
      (message) => this.#notify(message),
      (reason) => line.closeFor(reason),
    );
  }

  receive(data: Uint8Array, isBinary: boolean): PromiseOrValue<void> {
    const format = this.#format ?? (FORMATS.find((each) => each.isBinary === isBinary) as BodyFormat);
    if (format.isBinary !== isBinary) {
      const kind = isBinary ? 'text' : 'binary';
      return this.#line.close(UNSUPPORTED_DATA, `This connection speaks ${format.name}, in ${kind} messages`);
    }
    this.#spoken = format;
    let message: PromiseOrValue<Value>;
    try {
      message = decodeMessage(data, format, this.#context, {
        isGuest: !this.isSignedIn(),
        isAbandoned: this.#isAbandoned,
      });
    } catch (thrown) {
      return this.#refuse(thrown, format, data);
    }
    if (!isPromise(message)) return this.#weigh(message, data.length, format);
    return message.then(
      (decoded) => this.#weigh(decoded, data.length, format),
      (thrown: unknown) => this.#refuse(thrown, format, data),
    );
  }

  /** Large messages are weighed before the next is processed, so that the order is kept. */
  #weigh(message: Value, length: number, format: BodyFormat): PromiseOrValue<void> {
    if (length <= SMALL) return this.#take(message, 0, format);
    return otherwise(
      () =>
        andThen(weighMessage(message, this.#context, this.#isAbandoned), (weight) =>
          this.#take(message, weight, format),
        ),
      (thrown) => this.#answerError(message, this.#rpc.report(thrown), format),
    );
  }

  /** Answers a message that can't be decoded, under its id, so that its caller doesn't wait forever. */
  #refuse(thrown: unknown, format: BodyFormat, data: Uint8Array): PromiseOrValue<void> {
    const error = this.#rpc.report(thrown);
    // Closed as for too many bytes: the next such message would cost as much again.
    if (error.code === 'too_many_values' && !this.isSignedIn()) return this.#line.close(TOO_BIG, error.message);
    const id = format.messageMember(data, 'id');
    if (id === UNREAD) return this.#line.close(INVALID_DATA, error.message);
    const session = format.messageMember(data, 'session');
    return this.#answerError(
      objectFrom({ id: id ?? null, session: session === UNREAD ? undefined : session }),
      error,
      format,
    );
  }

  #answerError(message: Value, error: TesseraError, format: BodyFormat): PromiseOrValue<void> {
    if (wantsNoAnswer(message)) return undefined;
    return this.#take(new Unreadable(errorMessage(repeatedOf(message), error)), 0, format);
  }

  /** `weight` is 0 for small messages. */
  #take(message: Value | Unreadable, weight: number, format: BodyFormat): PromiseOrValue<void> {
    const answered = this.#answer(message, weight, format);
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
    if (this.#pending < this.#context.options.limits.queuedRequests) return undefined;
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  #answer(message: Value | Unreadable, weight: number, format: BodyFormat): PromiseOrValue<void> {
    const deliver = (answer: ObjectValue) => {
      const sent = otherwise(
        () => andThen(this.#encode(answer, format), (data) => this.#line.send(data, format.isBinary)),
        (thrown) =>
          this.#line.send(format.encode(errorMessage(repeatedOf(answer), this.#rpc.report(thrown))), format.isBinary),
      );
      if (isPromise(sent)) this.#hold(sent);
      return sent;
    };
    if (message instanceof Unreadable) return deliver(message.answer);
    return this.#hand(message, weight, format, wantsNoAnswer(message) ? unanswered : deliver);
  }

  /** The memory of a waiting request is reserved until it is answered. */
  #hand(message: Value, weight: number, format: BodyFormat, deliver: Deliver): PromiseOrValue<void> {
    const take = () => this.#rpc.take(message, format, deliver);
    if (weight === 0) return take();
    const { budget } = this.#rpc.session.memory.connection;
    try {
      budget.charge(weight);
    } catch (thrown) {
      return deliver(errorMessage(repeatedOf(message), this.#rpc.report(thrown)));
    }
    return lastly(take, () => budget.release(weight));
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

  /** The response that gives a live query's id precedes its notifications. */
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
      // A notification that cannot be encoded is skipped.
      this.#rpc.report(thrown);
      return undefined;
    }
    try {
      return this.#line.notify(data, format.isBinary);
    } catch (thrown) {
      // A client that reads nothing would miss the closing reason.
      return this.#line.closeFor(this.#rpc.report(thrown));
    }
  }

  #encode(answer: ObjectValue, format: BodyFormat): PromiseOrValue<string | Uint8Array> {
    const { options, environment } = this.#context;
    const bounds = { limit: options.limits.answer, budget: this.#rpc.session.memory.connection.work };
    return encodeAnswer(answer, format, environment, bounds);
  }
}
