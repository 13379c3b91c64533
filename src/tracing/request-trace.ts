/** The ids by which the log lines and spans of one request are found. */
import { readTraceParent } from './trace-parent.js';
import type { Span } from './tracer.js';

/** What lines of the log and spans about a request are marked with. */
export class RequestTrace {
  /** Absent where nothing is traced. */
  readonly span: Span | undefined;
  readonly #id: string;
  readonly #number: number | undefined;
  readonly #header: string | readonly string[] | undefined;

  /**
   * `id`: of the request, or of its connection with the request's `number` there. `header`: the client's `traceparent`.
   */
  constructor(id: string, header: string | readonly string[] | undefined, span?: Span, number?: number) {
    this.#id = id;
    this.#number = number;
    this.#header = header;
    this.span = span;
  }

  /** The id of the request, as the answer's header `x-request-id` has it; made when it is asked for, as few log. */
  get request(): string {
    return numberedId(this.#id, this.#number);
  }

  /** Of our span or, where nothing is traced, of the client's. */
  get traceId(): string | undefined {
    return this.span?.traceId ?? readTraceParent(this.#header)?.traceId;
  }
}

/** The id of the request with this number of a connection. */
export function numberedId(connection: string, number: number | undefined): string {
  return number === undefined ? connection : `${connection}.${number}`;
}
