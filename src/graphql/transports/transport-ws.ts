/**
 * GraphQL over a WebSocket, by the protocol `graphql-transport-ws`. The library `graphql-ws` keeps its rules: who may
 * say what when, and which code closes what breaks them. What operations do is ours, and messages come one after the
 * other: a query or mutation is answered before the next message is looked at, a subscription under way.
 */
import {
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  GraphQLSchema,
  parse,
} from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from 'graphql-ws';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Environment } from '../../env/environment.js';
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { Session } from '../../session/contract.js';
import type { RequestMeter } from '../../tracing/request-meter.js';
import { parseJson } from '../../value/codecs/json.js';
import { isArray, isObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import { weighInSteps } from '../../value/weight.js';
import type { GraphqlFailure } from '../base/errors.js';
import { readGraphqlRequest } from '../base/request.js';
import { ResponseStream } from '../live/response-stream.js';
import type { GraphqlService, OperationResult } from '../service.js';
import { errorValue, standardText } from './response.js';

/** Shorter messages, in characters, aren't charged to the connection while they are processed. */
const SMALL = 8 * 1024;

/** Time limit for `connection_init`, in milliseconds. */
const INIT_PATIENCE = 3_000;

export interface GraphqlSocket {
  readonly environment: Environment;
  readonly line: {
    /** Waits when the client is slow to read. */
    send(text: string): PromiseOrValue<void>;
    close(code: number, reason: string): void;
    /** Closes because of a temporary lack of resources. */
    closeFor(reason: TesseraError): void;
  };
  /** Counts and traces operations: a subscription until it has begun. */
  readonly meter?: RequestMeter;
  /** Signs in and selects as the payload of `connection_init` says. @throws TesseraError */
  connect(payload: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface GraphqlSocketSession {
  /** Takes a message; the next one is to come when it is done. Never fails. */
  receive(text: string): Promise<void>;
  /** The connection is closed. */
  close(): void;
}

export type OpenGraphqlSocket = (session: Session, socket: GraphqlSocket) => GraphqlSocketSession;

/** Subscriptions over `graphql-transport-ws`; `report` receives errors that are faults of the server. */
export function createGraphqlSocket(service: GraphqlService, report: (error: TesseraError) => void): OpenGraphqlSocket {
  return (session, socket) => new TransportWs(session, socket, { service, report });
}

interface Services {
  readonly service: GraphqlService;
  report(error: TesseraError): void;
}

/** An answer as it is sent. The library would write it with JSON.stringify, which knows no integers of 64 bits. */
class Answer {
  constructor(readonly text: string) {}
}

/** The placeholder that the library writes for an answer. */
const HOLE = null;
const AFTER_HOLE = `${HOLE}}`.length;

/** The library looks up in the document what kind of operation there is; to it they are all the same. */
const ANY_OPERATION: ExecutionArgs = { schema: new GraphQLSchema({}), document: parse('{ __typename }') };

class TransportWs implements GraphqlSocketSession {
  readonly #session: Session;
  readonly #socket: GraphqlSocket;
  readonly #services: Services;
  readonly #cancelInit: () => void;
  readonly #closed: () => Promise<void>;
  #handle: (text: string) => Promise<void> = () => Promise.resolve();
  /** The message that is being looked at. */
  #message: ObjectValue | undefined;
  /** Those under way, by their ids. */
  readonly #operations = new Map<Value, Promise<void>>();
  /** Lets the next message come. */
  #proceed: () => void = () => {};
  /** The text for the next placeholder. */
  #answer: Answer | undefined;

  constructor(session: Session, socket: GraphqlSocket, services: Services) {
    this.#session = session;
    this.#socket = socket;
    this.#services = services;
    let isKnown = false;
    const server = makeServer({
      // Time is kept by the environment.
      connectionInitWaitTimeout: 0,
      onConnect: async () => {
        isKnown = true;
        const payload = this.#message?.['payload'];
        await socket.connect(isObject(payload) ? payload : {});
      },
      onSubscribe: async () => ({ ...ANY_OPERATION, rootValue: await this.#open() }),
      execute: ({ rootValue }) => rootValue as AsyncIterableIterator<ExecutionResult>,
      onOperation: (_context, _id, _payload, { rootValue }) => {
        if (rootValue instanceof Answers && rootValue.goesOn) this.#proceed();
      },
      onNext: (_context, _id, _payload, _args, answer) => answer as FormattedExecutionResult,
      onError: (_context, _id, _payload, errors) => errors.flatMap((error) => this.#failures(error)).map(formatted),
      jsonMessageReplacer: (_key, value) => {
        if (!(value instanceof Answer)) return value;
        this.#answer = value;
        return HOLE;
      },
    });
    this.#closed = server.opened(
      {
        protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL,
        send: (text) => socket.line.send(this.#filled(text)),
        close: (code = CloseCode.InternalServerError, reason = '') => socket.line.close(code, reason),
        onMessage: (handle) => {
          this.#handle = handle;
        },
      },
      undefined,
    );
    this.#cancelInit = socket.environment.timers.after(INIT_PATIENCE, () => {
      const code = CloseCode.ConnectionInitialisationTimeout;
      if (!isKnown) socket.line.close(code, 'No connection_init came within three seconds');
    });
  }

  /** What lasts as long as an operation, such as closures, must not refer to the message. */
  async receive(text: string): Promise<void> {
    const message = messageOf(text);
    if (message === undefined) {
      this.#socket.line.close(CloseCode.BadRequest, 'Invalid message received');
      return;
    }
    const { type, id } = message;
    if (typeof id === 'string' && id.length > LONGEST_ID) {
      this.#socket.line.close(CloseCode.BadRequest, `An id may have no more than ${LONGEST_ID} characters`);
      return;
    }
    const isSmall = text.length <= SMALL;
    const weight = isSmall ? 0 : await weighInSteps([message], () => this.#services.service.work());
    const { budget } = this.#session.memory.connection;
    try {
      budget.charge(weight);
    } catch (thrown) {
      this.#socket.line.closeFor(asTesseraError(thrown));
      return;
    }
    this.#message = message;
    await this.#process(type, id, CHECKED.has(type) ? outlineOf(message) : text);
    this.#message = undefined;
    budget.release(weight);
  }

  /** `outline`: the message for the library. */
  #process(type: Value, id: Value, outline: string): Promise<void> {
    return new Promise((proceed) => {
      this.#proceed = proceed;
      const done = this.#handle(outline).catch((thrown) => this.#end(thrown));
      if (type === 'subscribe') this.#note(id, done);
      // An id is free again once its operation has ended; the library checks that after it has received the message.
      void done.then(() => (type === 'complete' ? this.#operations.get(id) : undefined)).then(proceed);
    });
  }

  #note(id: Value, done: Promise<void>): void {
    this.#operations.set(id, done);
    void done.then(() => this.#operations.delete(id));
  }

  close(): void {
    this.#cancelInit();
    void this.#closed().catch((thrown) => this.#services.report(asTesseraError(thrown)));
  }

  /** The answers to the message, for the library to write. */
  async #open(): Promise<Answers> {
    const payload = this.#message?.['payload'];
    const metered = this.#socket.meter?.begin('subscribe');
    if (metered !== undefined) this.#session.trace = metered.trace;
    try {
      const request = readGraphqlRequest(isObject(payload) ? withoutEmptyQuery(payload) : payload);
      const opened = await this.#services.service.subscribe(this.#session, request);
      metered?.end(opened instanceof ResponseStream ? undefined : opened.failures[0]?.error);
      return new Answers(opened);
    } catch (thrown) {
      const refused = this.#failureOf(thrown);
      metered?.end(refused.error);
      return new Answers({ failures: [refused] });
    }
  }

  #filled(text: string): string {
    const answer = this.#answer;
    if (answer === undefined) return text;
    this.#answer = undefined;
    // The payload is the last member of a message.
    return `${text.slice(0, -AFTER_HOLE)}${answer.text}}`;
  }

  #failures({ originalError }: GraphQLError): readonly GraphqlFailure[] {
    return originalError instanceof Refusal ? originalError.failures : [this.#failureOf(originalError)];
  }

  /**
   * A client authenticates once per connection, so that it must reconnect after its session has ended, as clients do
   * automatically.
   */
  #failureOf(thrown: unknown): GraphqlFailure {
    const error = asTesseraError(thrown);
    if (error.code === 'internal') this.#services.report(error);
    if (error.code === 'session_expired') this.#socket.line.close(CloseCode.Forbidden, error.message);
    return { error, message: error.message };
  }

  /** Closes the connection for an error that belongs to no operation. */
  #end(thrown: unknown): void {
    const { error, message } = this.#failureOf(thrown);
    this.#socket.line.close(CLOSE_CODES[error.httpStatus] ?? CloseCode.InternalServerError, message);
  }
}

/** By the HTTP status that an error would have. */
const CLOSE_CODES: Readonly<Record<number, CloseCode>> = {
  400: CloseCode.BadRequest,
  401: CloseCode.Forbidden,
  403: CloseCode.Forbidden,
  429: CloseCode.Forbidden,
};

/** The answers of one operation, as the library is to hand them on. */
class Answers implements AsyncIterableIterator<Answer, undefined> {
  readonly #outcomes: AsyncIterator<OperationResult, undefined>;
  /** Whether there may be more than one. */
  readonly goesOn: boolean;

  constructor(opened: OperationResult | ResponseStream<OperationResult>) {
    this.goesOn = opened instanceof ResponseStream;
    this.#outcomes = opened instanceof ResponseStream ? opened : only(opened);
  }

  async next(): Promise<IteratorResult<Answer, undefined>> {
    const { done, value } = await this.#outcomes.next();
    return done === true ? { done, value } : { done: false, value: new Answer(standardText(value)) };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.#outcomes.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function* only(outcome: OperationResult): AsyncGenerator<OperationResult, undefined> {
  if (outcome.roots === undefined) throw new Refusal(outcome.failures);
  yield outcome;
}

/** The error of a request, passed through the library. */
class Refusal extends Error {
  constructor(readonly failures: readonly GraphqlFailure[]) {
    super('refused');
  }
}

function formatted(failure: GraphqlFailure): GraphQLFormattedError {
  return errorValue(failure) as unknown as GraphQLFormattedError;
}

const TYPES: ReadonlySet<Value> = new Set(['connection_init', 'ping', 'pong', 'subscribe', 'complete']);

/** The longest id of an operation: it is kept as long as the operation. */
const LONGEST_ID = 256;

/** A message that a client may send, as far as that can be seen from its type. */
function messageOf(text: string): ObjectValue | undefined {
  try {
    const message = parseJson(text);
    return isObject(message) && TYPES.has(message['type']) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Messages must have a query, if an empty one, when they name a document by its id. */
function withoutEmptyQuery(payload: ObjectValue): ObjectValue {
  return payload['query'] === '' ? objectFrom({ ...payload, query: null }) : payload;
}

/** The messages whose payloads the library only checks. It returns that of a ping. */
const CHECKED: ReadonlySet<Value> = new Set(['connection_init', 'subscribe']);

/** What the library checks of the payload of `subscribe`. */
const PAYLOAD = ['operationName', 'query', 'variables', 'extensions'] as const;

/**
 * A message as the library reads it. It keeps a message as long as its operation, and the first one as long as the
 * connection, so it gets the types of the payload's members without their content.
 */
function outlineOf({ type, id, payload }: ObjectValue): string {
  const members = isObject(payload) ? PAYLOAD.map((name) => [name, emptied(payload[name])]) : undefined;
  return JSON.stringify({
    type,
    id: typeof id === 'string' ? id : emptied(id),
    payload: members === undefined ? emptied(payload) : Object.fromEntries(members),
  });
}

/** A value of the same type in JSON. */
function emptied(value: Value): Json | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value === 'string') return '';
  if (isArray(value)) return [];
  return isObject(value) ? {} : 0;
}

type Json = null | string | number | readonly never[] | Readonly<Record<string, never>>;
