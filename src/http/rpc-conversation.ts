/** RPC over a WebSocket: each message is a request, in JSON or CBOR. */
import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { RpcConnection } from '../rpc/connection.js';
import { errorAnswer } from '../rpc/response.js';
import type { ObjectValue } from '../value/value.js';
import type { Conversation, Endpoint, Line } from './conversation.js';
import { CBOR, type Format, JSON_FORMAT } from './format.js';

const FORMATS: ReadonlyMap<string, Format> = new Map([CBOR, JSON_FORMAT].map((format) => [format.name, format]));

const UNSUPPORTED_DATA = 1003;

export const RPC: Endpoint = {
  protocols: [...FORMATS.keys()],
  anyProtocol: true,
  admit() {},
  open({ database, rpc }, origin) {
    const connection = new RpcConnection(database, origin, rpc);
    return {
      session: connection.session,
      begin: (line, protocol) =>
        new RpcConversation(connection, line, protocol === undefined ? undefined : FORMATS.get(protocol)),
      close: () => connection.close(),
    };
  },
};

class RpcConversation implements Conversation {
  readonly #rpc: RpcConnection;
  readonly #line: Line;
  /** What the subprotocol says; each message tells its own if there is none. */
  readonly #format: Format | undefined;
  /** What the client spoke last. */
  #spoken: Format = JSON_FORMAT;

  constructor(rpc: RpcConnection, line: Line, format: Format | undefined) {
    this.#rpc = rpc;
    this.#line = line;
    this.#format = format;
    rpc.notify((message) => this.#notify(message));
  }

  receive(data: Uint8Array, isBinary: boolean): PromiseOrValue<void> {
    const format = isBinary ? CBOR : JSON_FORMAT;
    if (this.#format !== undefined && this.#format !== format) {
      const kind = isBinary ? 'text' : 'binary';
      return this.#line.close(UNSUPPORTED_DATA, `This connection speaks ${this.#format.name}, in ${kind} messages`);
    }
    this.#spoken = format;
    const answer = otherwise(
      () => this.#rpc.handle(format.decode(data), format === JSON_FORMAT),
      // It couldn't be read, so there is no id to answer to.
      (thrown) => errorAnswer(null, this.#rpc.report(thrown)),
    );
    return andThen(answer, (answer) => this.#line.send(this.#encode(answer, format)));
  }

  isSignedIn(): boolean {
    return this.#rpc.isSignedIn();
  }

  close(): void {
    this.#rpc.close();
  }

  #notify(message: ObjectValue): Promise<void> | undefined {
    if (this.#line.isClosing) return undefined;
    const format = this.#format ?? this.#spoken;
    let data: string | Uint8Array;
    try {
      data = format.encode(message);
    } catch (thrown) {
      // What can't be said is left out; the others are told.
      this.#rpc.report(thrown);
      return undefined;
    }
    return this.#line.send(data);
  }

  #encode(answer: ObjectValue, format: Format): string | Uint8Array {
    try {
      return format.encode(answer);
    } catch (thrown) {
      return format.encode(errorAnswer(answer.id, this.#rpc.report(thrown)));
    }
  }
}
