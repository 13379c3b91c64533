/** RPC over a WebSocket: each message is a request, in JSON or CBOR. */
import { andThen, isPromise, lastly, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { TesseraError } from '../../errors/error.js';
import { RpcConnection } from '../../rpc/connection.js';
import type { Deliver } from '../../rpc/pipeline.js';
import { requestId } from '../../rpc/request.js';
import { errorMessage } from '../../rpc/response.js';
import { decodeCbor } from '../../value/codecs/cbor-decode.js';
import { MAJOR } from '../../value/codecs/cbor-tags.js';
import { parseJson } from '../../value/codecs/json.js';
import { DEFAULT_DECODE_LIMITS } from '../../value/nesting.js';
import { type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import type { Context } from '../base/context.js';
import { CBOR, type Format, JSON_FORMAT } from '../base/format.js';
import { decodeMessage, weighMessage } from '../request/decode-message.js';
import { encodeAnswer } from '../response/large-answer.js';
import { socketMeter } from '../routes/request-metrics.js';
import type { SocketChannel, SocketEndpoint, SocketSession } from './socket-endpoint.js';

const FORMATS: ReadonlyMap<string, Format> = new Map([CBOR, JSON_FORMAT].map((format) => [format.name, format]));

/** Smaller requests aren't charged to the memory budget: their number is limited. */
const SMALL = 16 * 1024;

/** RFC 6455, §7.4.1. */
const UNSUPPORTED_DATA = 1003;
const INVALID_DATA = 1007;
const TOO_BIG = 1009;

export const RPC: SocketEndpoint = {
  name: 'rpc',
  protocols: [...FORMATS.keys()],
  anyProtocol: true,
  admit() {},
  open(context, origin, request) {
    const { database, rpc } = context;
    const meter = socketMeter(context, request, 'websocket');
    const connection = new RpcConnection(database, origin, { ...rpc, meter });
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

/** The error response to a message that can't be decoded. */
class Unreadable {
  constructor(readonly answer: ObjectValue) {}
}

class RpcConversation implements SocketSession {
  readonly #rpc: RpcConnection;
  readonly #line: SocketChannel;
  /** The negotiated format; without one, each message determines its own. */
  readonly #format: Format | undefined;
  readonly #context: Context;
  readonly #isAbandoned = () => this.#line.isClosing;
  #pending = 0;
  /** Resumes reading when the queue has room. */
  #goOn = () => {};
  /** Responses being encoded or sent. */
  readonly #unsent = new Set<Promise<void>>();
  /** The format of the client's last message. */
  #spoken: Format = JSON_FORMAT;

  constructor(rpc: RpcConnection, line: SocketChannel, format: Format | undefined, context: Context) {
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
    const format = isBinary ? CBOR : JSON_FORMAT;
    if (this.#format !== undefined && this.#format !== format) {
      const kind = isBinary ? 'text' : 'binary';
      return this.#line.close(UNSUPPORTED_DATA, `This connection speaks ${this.#format.name}, in ${kind} messages`);
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
  #weigh(message: Value, length: number, format: Format): PromiseOrValue<void> {
    if (length <= SMALL) return this.#take(message, 0, format);
    return otherwise(
      () =>
        andThen(weighMessage(message, this.#context, this.#isAbandoned), (weight) =>
          this.#take(message, weight, format),
        ),
      (thrown) => this.#answerError(requestId(message), this.#rpc.report(thrown), format),
    );
  }

  /** Answers a message that can't be decoded, under its id, so that its caller doesn't wait forever. */
  #refuse(thrown: unknown, format: Format, data: Uint8Array): PromiseOrValue<void> {
    const error = this.#rpc.report(thrown);
    // Closed as for too many bytes: the next such message would cost as much again.
    if (error.code === 'too_many_values' && !this.isSignedIn()) return this.#line.close(TOO_BIG, error.message);
    const id = idOfUnreadable(data, format);
    if (id === UNREAD_ID) return this.#line.close(INVALID_DATA, error.message);
    return this.#answerError(requestId(objectFrom({ id })), error, format);
  }

  #answerError(id: Value, error: TesseraError, format: Format): PromiseOrValue<void> {
    return this.#take(new Unreadable(errorMessage(id, error)), 0, format);
  }

  /** `weight` is 0 for small messages. */
  #take(message: Value | Unreadable, weight: number, format: Format): PromiseOrValue<void> {
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

  #answer(message: Value | Unreadable, weight: number, format: Format): PromiseOrValue<void> {
    const deliver = (answer: ObjectValue) => {
      const sent = otherwise(
        () => andThen(this.#encode(answer, format), (data) => this.#line.send(data, format === CBOR)),
        (thrown) => this.#line.send(format.encode(errorMessage(answer.id, this.#rpc.report(thrown))), format === CBOR),
      );
      if (isPromise(sent)) this.#hold(sent);
      return sent;
    };
    if (message instanceof Unreadable) return deliver(message.answer);
    return this.#hand(message, weight, format, deliver);
  }

  /** The memory of a waiting request is reserved until it is answered. */
  #hand(message: Value, weight: number, format: Format, deliver: Deliver): PromiseOrValue<void> {
    const take = () => this.#rpc.take(message, format === JSON_FORMAT, deliver);
    if (weight === 0) return take();
    const { budget } = this.#rpc.session.memory.connection;
    try {
      budget.reserve(weight);
    } catch (thrown) {
      return deliver(errorMessage(requestId(message), this.#rpc.report(thrown)));
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
      return this.#line.send(data, format === CBOR);
    } catch (thrown) {
      // A client that reads nothing would miss the closing reason.
      return this.#line.closeFor(this.#rpc.report(thrown));
    }
  }

  #encode(answer: ObjectValue, format: Format): PromiseOrValue<string | Uint8Array> {
    const { options, environment } = this.#context;
    const bounds = { limit: options.limits.answer, budget: this.#rpc.session.memory.connection.work };
    return encodeAnswer(answer, format, environment, bounds);
  }
}

// The id of a request that can't be decoded, such as one nested too deep, so that its caller gets the error.

/** What is looked through for an id: bytes of JSON, items of CBOR. Clients send it first. */
const MOST_BYTES = 64 * 1024;
const MOST_ITEMS = 16 * 1024;

/** It is unknown whether the message has an id. */
export const UNREAD_ID: unique symbol = Symbol('unread id');

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const SCALAR = /[^\s,}\]]+/y;
const BLANK = /\s*/y;

/** The member `id` of a message that is an object; `undefined` if it has none, and for other messages. */
export function idOfUnreadable(message: Uint8Array, format: Format): Value | typeof UNREAD_ID {
  try {
    return format === CBOR ? new CborScan(message).id() : new JsonScan(message).id();
  } catch {
    // It is malformed up to there.
    return undefined;
  }
}

class JsonScan {
  readonly #text: string;
  readonly #isCut: boolean;
  #at = 0;

  constructor(message: Uint8Array) {
    const { buffer, byteOffset, length } = message;
    this.#isCut = length > MOST_BYTES;
    this.#text = Buffer.from(buffer, byteOffset, Math.min(length, MOST_BYTES)).toString('utf8');
  }

  id(): Value | typeof UNREAD_ID {
    if (!this.#accepts('{')) return undefined;
    do {
      const name = this.#match(STRING);
      if (name === undefined || !this.#accepts(':')) return this.#isCut ? UNREAD_ID : undefined;
      if (name === '"id"') return this.#scalar();
      this.#skipValue();
    } while (this.#accepts(','));
    return this.#isCut && this.#at >= this.#text.length ? UNREAD_ID : undefined;
  }

  #scalar(): Value {
    const written = this.#match(STRING) ?? this.#match(SCALAR);
    return written === undefined ? undefined : parseJson(written);
  }

  #skipValue(): void {
    for (let depth = 0; this.#at < this.#text.length; ) {
      const character = this.#text[this.#at] as string;
      if (character === '"') {
        if (this.#match(STRING) === undefined) this.#at = this.#text.length;
        continue;
      }
      if (depth === 0 && (character === ',' || character === '}')) return;
      if (character === '[' || character === '{') depth++;
      else if (character === ']' || character === '}') depth--;
      this.#at++;
    }
  }

  #accepts(character: string): boolean {
    this.#skipBlank();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    this.#skipBlank();
    return true;
  }

  #skipBlank(): void {
    this.#match(BLANK);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

const INDEFINITE = 31;

class CborScan {
  readonly #bytes: DataView;
  #at = 0;
  #items = 0;

  constructor(message: Uint8Array) {
    this.#bytes = new DataView(message.buffer, message.byteOffset, message.length);
  }

  /** @throws RangeError beyond the end */
  id(): Value | typeof UNREAD_ID {
    const { major, argument: members } = this.#head();
    if (major !== MAJOR.map) return undefined;
    for (let left = members ?? Number.POSITIVE_INFINITY; left > 0; left--) {
      const name = this.#item();
      const value = name && this.#item();
      if (name === undefined || value === undefined) return UNREAD_ID;
      if (isNamed(name, 'id')) return decodeCbor(value, DEFAULT_DECODE_LIMITS);
    }
    return undefined;
  }

  /** The bytes of the next item, with all in it; `undefined` if it is too long to be looked through. */
  #item(): Uint8Array | undefined {
    const { buffer, byteOffset } = this.#bytes;
    const begin = this.#at;
    for (let left = 1; left > 0; left--) {
      if (++this.#items > MOST_ITEMS) return undefined;
      const { major, argument } = this.#head();
      // Its end would have to be searched for.
      if (argument === undefined) return undefined;
      if (major === MAJOR.bytes || major === MAJOR.text) this.#at += argument;
      else if (major === MAJOR.array) left += argument;
      else if (major === MAJOR.map) left += 2 * argument;
      else if (major === MAJOR.tag) left++;
    }
    return new Uint8Array(buffer, byteOffset + begin, this.#at - begin);
  }

  #head(): { readonly major: number; readonly argument: number | undefined } {
    const initial = this.#bytes.getUint8(this.#at++);
    const information = initial & 31;
    return { major: initial >>> 5, argument: information === INDEFINITE ? undefined : this.#argument(information) };
  }

  #argument(information: number): number {
    if (information < 24) return information;
    const at = this.#at;
    const length = 2 ** (information - 24);
    this.#at += length;
    if (length === 1) return this.#bytes.getUint8(at);
    if (length === 2) return this.#bytes.getUint16(at);
    if (length === 4) return this.#bytes.getUint32(at);
    return Number(this.#bytes.getBigUint64(at));
  }
}

function isNamed(item: Uint8Array, name: string): boolean {
  return item.length === 1 + name.length && decodeCbor(item, DEFAULT_DECODE_LIMITS) === name;
}
