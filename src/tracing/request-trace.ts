import { readTraceParent } from './trace-parent.js';
import type { Span } from './tracer.js';

/** What lines of the log and spans about a request are marked with. */
export class RequestTrace {
  /** The id of the request, as the answer's header `x-request-id` has it. */
  readonly request: string;
  /** Absent where nothing is traced. */
  readonly span: Span | undefined;
  readonly #header: string | readonly string[] | undefined;

  /** `header`: the client's `traceparent`. */
  constructor(request: string, header: string | readonly string[] | undefined, span?: Span) {
    this.request = request;
    this.span = span;
    this.#header = header;
  }

  /** Of our span or, where nothing is traced, of the client's. */
  get traceId(): string | undefined {
    return this.span?.traceId ?? readTraceParent(this.#header)?.traceId;
  }
}
