import type { Session } from '../session/contract.js';

export interface GraphqlHttpRequest {
  /** Signed in, with its namespace and database selected. */
  readonly session: Session;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
}

export interface GraphqlHttpResponse {
  readonly status: number;
  readonly contentType: string;
  /** Further headers, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers GraphQL over HTTP. What it throws becomes an ordinary error answer. */
export type GraphqlHandler = (request: GraphqlHttpRequest) => Promise<GraphqlHttpResponse>;
