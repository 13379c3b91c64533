/** Spans of OpenTelemetry as the rooms see them; `server/otlp.ts` has the library behind them. */
import type { TraceParent } from './trace-parent.js';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Something that takes time: a request, a statement, a wait for the store. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** A part of it begins; `describe` is asked only if it is recorded. */
  begin(name: string, describe?: () => Attributes): Span;
  /** To be called once. `failure` is the code of an error. */
  end(failure?: string, attributes?: Attributes): void;
}

export interface Tracer {
  /** A request begins; `parent` is what the client says that it is a part of. */
  begin(name: string, parent: TraceParent | undefined, attributes: Attributes): Span;
}
