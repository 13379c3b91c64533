/** Signing in, up and out over HTTP, whose errors have codes. */

/** The pair of an access method `WITH REFRESH`; of others the access token alone. */
export interface TokenPair {
  readonly access: string;
  readonly refresh?: string;
}

/** Where an app works, and the access method by which its users sign in. */
export interface Place {
  readonly namespace: string;
  readonly database: string;
  readonly access: string;
}

/** Why a sign-in or sign-up fails, or why a session has ended. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  /**
   * The server's: `invalid_auth`, `signup_conflict`, `signup_invalid`, `too_many_attempts`, …; `unreachable` where the
   * server doesn't answer, `session_ended` where it has ended the session.
   */
  readonly code: string;
  /** The field that a sign-up is refused for, of an access method with `ERRORS DETAILED`. */
  readonly field: string | undefined;
  /** Of the server's answer; there is none where it doesn't answer. */
  readonly status: number | undefined;
  /** Seconds to wait before the next attempt, where there were too many. */
  readonly retryAfter: number | undefined;

  constructor(code: string, message: string, { status, field, retryAfter }: Facts = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.field = field;
    this.retryAfter = retryAfter;
  }
}

type Facts = Partial<Pick<SessionError, 'status' | 'field' | 'retryAfter'>>;

interface Failure {
  readonly error?: string;
  readonly information?: string;
  readonly description?: string;
  readonly field?: string;
}

export class SignInRequests {
  readonly #url: string;
  readonly #place: Place;

  /** `url`: the server's, `https://db.example`. */
  constructor(url: string, place: Place) {
    this.#url = url.replace(/\/$/, '');
    this.#place = place;
  }

  /** @throws SessionError */
  async enter(how: 'signin' | 'signup', access: string, data: Readonly<Record<string, unknown>>): Promise<TokenPair> {
    const { namespace, database } = this.#place;
    const { token } = await this.#post<{ token: string | TokenPair }>(how, {
      NS: namespace,
      DB: database,
      AC: access,
      ...data,
    });
    return typeof token === 'string' ? { access: token } : token;
  }

  /** Ends the sign-in of these tokens: the pair, those before it, and the sessions that were opened with them. */
  async revoke(tokens: TokenPair): Promise<void> {
    await this.#post('rpc', { method: 'revoke', params: [tokens] });
  }

  async #post<T>(path: string, body: object): Promise<T> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    let answer: Response;
    try {
      answer = await fetch(`${this.#url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    } catch {
      throw new SessionError('unreachable', 'The server can’t be reached');
    }
    const read = (await answer.json().catch(() => ({}))) as T & Failure;
    if (answer.ok) return read;
    const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
    throw new SessionError(read.error ?? 'unreachable', read.information ?? read.description ?? answer.statusText, {
      status: answer.status,
      ...(read.field !== undefined && { field: read.field }),
      ...(retryAfter > 0 && { retryAfter }),
    });
  }
}

/** When an access token expires, in milliseconds since 1970. */
export function expiryOf(token: string): number {
  const [, payload = ''] = token.split('.');
  const { exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { readonly exp: number };
  return exp * 1000;
}
