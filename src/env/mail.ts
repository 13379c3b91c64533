/** Sending mail, one at a time. Which servers may be reached is decided elsewhere (`functions/network/targets.ts`). */
export interface MailTransport {
  /**
   * Hands a mail to a server at exactly this address, and resolves when the server has taken it.
   * @throws MailError; what `beforeText` throws, and the reason of `signal`
   */
  send(server: MailServer, mail: MailMessage, delivery: MailHandover): Promise<void>;
}

export interface MailServer {
  /** The name or address that its certificate must be for. */
  readonly host: string;
  readonly address: string;
  readonly port: number;
  /** `implicit`: from the first byte. `starttls`: demanded before anything else. `none`: for this machine alone. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly credentials?: { readonly user: string; readonly password: string } | undefined;
}

export interface MailMessage {
  /** Identifies it for ever: a mail that comes twice has the same one. */
  readonly id: string;
  readonly from: { readonly name: string; readonly address: string };
  /** The only recipient: an address that was checked. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Nanoseconds since 1970. */
  readonly created: bigint;
}

export interface MailHandover {
  /** Aborts it. */
  readonly signal: AbortSignal;
  /**
   * Called when the server has agreed to sender and recipient and waits for the text: nothing is sent before it
   * resolves. From then on an error without an answer of the server leaves open whether the mail arrives.
   */
  beforeText(): Promise<void>;
}

/**
 * `unreachable`: no connection, or no SMTP. `tls`: no TLS where it is demanded, or a certificate that isn't valid for
 * the host. `credentials`: they are refused. `deferred`: refused for now (4xx). `refused`: refused permanently (5xx).
 */
export type MailFailure = 'unreachable' | 'tls' | 'credentials' | 'deferred' | 'refused';

export class MailError extends Error {
  override readonly name = 'MailError';
  constructor(
    readonly failure: MailFailure,
    /** The reply of the server, if there was one. */
    readonly reply?: number,
    cause?: unknown,
  ) {
    super(failure, { cause });
  }
}
