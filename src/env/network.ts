/** Network access, one hop at a time. Access rules are applied elsewhere (`functions/network/fetcher.ts`). */
export interface Network {
  /**
   * The addresses of a host name; an address resolves to itself.
   * @throws NetworkError if there are none
   */
  resolve(host: string): Promise<readonly string[]>;
  /**
   * Sends one request to exactly this address and reads the whole response, without following redirects.
   * @throws NetworkError if the host is unreachable, doesn't answer, or the response is too large
   */
  exchange(hop: NetworkHop): Promise<NetworkAnswer>;
}

export interface NetworkHop {
  /** `http:` or `https:`; its host must match the certificate. */
  readonly url: URL;
  readonly address: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** Maximum size of the response body in bytes. */
  readonly maxBytes: number;
  /** Aborts the exchange. */
  readonly signal: AbortSignal;
}

export interface NetworkAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** `unknown`: the name doesn't resolve. `invalid`: a header cannot be sent. */
export type NetworkFailure = 'unknown' | 'unreachable' | 'too-large' | 'invalid';

export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  constructor(
    readonly failure: NetworkFailure,
    cause?: unknown,
  ) {
    super(failure, { cause });
  }
}
