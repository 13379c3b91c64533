/** The network outside, one hop at a time. Which addresses may be reached is not its business (`functions/network/fetcher.ts`). */
export interface Network {
  /** The addresses of a host name, or the address itself. @throws NetworkError when there are none */
  resolve(host: string): Promise<readonly string[]>;
  /**
   * Sends one request to exactly this address and takes the whole answer. Follows no redirects.
   * @throws NetworkError when it can't be reached, doesn't answer, or answers with more than is taken
   */
  exchange(hop: NetworkHop): Promise<NetworkAnswer>;
}

export interface NetworkHop {
  /** `http:` or `https:`; its host is what the certificate is for. */
  readonly url: URL;
  readonly address: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** Bytes of a body beyond which no answer is taken. */
  readonly maxBytes: number;
  /** Ends the exchange. */
  readonly signal: AbortSignal;
}

export interface NetworkAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** `unknown`: the name has no address. `invalid`: a header that can't be sent. */
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
