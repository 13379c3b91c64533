/** The interface by which a connection counts and traces its requests, whatever its protocol. */
import type { RequestTrace } from './request-trace.js';

/** Counts and traces the requests of a connection. */
export interface RequestMeter {
  /** `method` is one of ours, never a text of the client's. */
  begin(method: string): MeteredRequest;
}

export interface MeteredRequest {
  readonly trace: RequestTrace;
  /** It is answered, with this error if it has failed. */
  end(error?: Failure): void;
}

/** What is counted of an error. */
export interface Failure {
  readonly code: string;
  readonly httpStatus: number;
}
