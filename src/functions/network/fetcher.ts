/**
 * The database's HTTP client. Rules against SSRF apply to the host name, to its addresses, which are resolved once and
 * connected to, and to each redirect. Size, time and redirects are limited.
 */
import { isIP } from 'node:net';
import type { Environment } from '../../env/environment.js';
import { type NetworkAnswer, NetworkError, type NetworkFailure } from '../../env/network.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { isNamed, mayCall, mayLookUp, type NetworkTargets } from './targets.js';

export interface FetchLimits {
  /** Milliseconds for all hops together. */
  readonly time: number;
  /** Bytes of an answer's body. */
  readonly response: number;
}

export const DEFAULT_FETCH_LIMITS: FetchLimits = { time: 30_000, response: 16 * 2 ** 20 };

export interface HttpFetchRequest {
  readonly url: string;
  readonly method: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Only https is accepted, in redirects, too, but of hosts that the rules name. */
  readonly secure?: boolean;
  /** Whether redirects are followed; otherwise they are the answer. Default: they are. */
  readonly follow?: boolean;
}

/** To be asked now and then; throws when the request must be given up. */
type Check = () => void;

const MAX_REDIRECTS = 10;
/** Milliseconds between two looks at whether the statement may go on. */
const NAP = 50;
const SCHEMES: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ftp:': 21, 'ws:': 80, 'wss:': 443 };
/** Headers that belong to one origin and aren't sent to another. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

export class Fetcher {
  readonly #environment: Environment;
  readonly #targets: NetworkTargets;
  readonly #limits: FetchLimits;

  constructor(environment: Environment, targets: NetworkTargets, limits: FetchLimits = DEFAULT_FETCH_LIMITS) {
    this.#environment = environment;
    this.#targets = targets;
    this.#limits = limits;
  }

  /**
   * Sends a request and follows its redirects, at most ten of them; one more, or one to nowhere, is an error.
   * @throws TesseraError `url_invalid`, `network_target_denied`, `network_lookup_failed`, `http_failed`; what
   * `check` throws
   */
  async fetch(request: HttpFetchRequest, check: Check): Promise<NetworkAnswer> {
    const abort = new AbortController();
    const stop = this.#watch(abort, check);
    try {
      return await this.#follow(request, abort.signal);
    } catch (error) {
      throw abort.signal.aborted ? abort.signal.reason : error;
    } finally {
      stop();
    }
  }

  /**
   * The address of a host for a connection other than by HTTP.
   * @throws TesseraError `network_target_denied`, `network_lookup_failed`
   */
  async reach(host: string, port: number): Promise<string> {
    const denied = () => failure('network_target_denied', { target: `${host}:${port}` });
    if (!mayLookUp(this.#targets, host, port)) throw denied();
    const addresses = await this.#environment.network.resolve(host).catch(() => {
      throw failure('network_lookup_failed');
    });
    if (!mayCall(this.#targets, { host, port, addresses })) throw denied();
    return addresses[0] as string;
  }

  /**
   * Whether the rules name the host of a URL, or hold its address: then its operator trusts it without TLS. Nothing is
   * looked up.
   */
  names(url: URL): boolean {
    const host = hostOf(url);
    return isNamed(this.#targets, { host, port: portOf(url), addresses: isIP(host) === 0 ? [] : [host] });
  }

  async #follow(request: HttpFetchRequest, signal: AbortSignal): Promise<NetworkAnswer> {
    let { method, body } = request;
    let url = parseUrl(request.url);
    let headers: Record<string, string> = {
      accept: '*/*',
      'user-agent': 'Tessera',
      ...credentialsOf(url),
      ...request.headers,
    };
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#hop(url, { method, headers, body, secure: request.secure === true }, signal);
      const next = request.follow === false ? undefined : redirectOf(url, answer);
      if (next === undefined) return answer;
      if (redirects === MAX_REDIRECTS)
        throw failure('http_failed', { reason: `${notFollowed(url)}: too many redirects` });
      if (next.origin !== url.origin) headers = without(headers, PRIVATE_HEADERS);
      if (becomesGet(answer.status, method)) {
        method = 'GET';
        body = undefined;
        headers = without(headers, ['content-type', 'content-length']);
      }
      url = next;
    }
  }

  async #hop(
    url: URL,
    {
      method,
      headers,
      body,
      secure,
    }: Required<Pick<HttpFetchRequest, 'method' | 'headers' | 'secure'>> & Pick<HttpFetchRequest, 'body'>,
    signal: AbortSignal,
  ): Promise<NetworkAnswer> {
    const { network } = this.#environment;
    const host = hostOf(url);
    const port = portOf(url);
    const denied = () => failure('network_target_denied', { target: `${url.hostname}:${port}` });
    if (!mayLookUp(this.#targets, host, port)) throw denied();
    if (!['http:', 'https:'].includes(url.protocol)) throw unsupported(url);
    try {
      const addresses = await network.resolve(host);
      const destination = { host, port, addresses };
      if (!mayCall(this.#targets, destination)) throw denied();
      if (secure && url.protocol === 'http:' && !isNamed(this.#targets, destination)) throw unsupported(url);
      signal.throwIfAborted();
      const maxBytes = this.#limits.response;
      return await network.exchange({ url, address: addresses[0] as string, method, headers, body, maxBytes, signal });
    } catch (error) {
      throw error instanceof NetworkError ? FAILURES[error.failure](url, this.#limits) : error;
    }
  }

  /** Gives up when the time is over, or the statement may not go on. */
  #watch(abort: AbortController, check: Check): () => void {
    const { timers } = this.#environment;
    let left = this.#limits.time;
    let cancel = () => {};
    const nap = () => {
      const time = Math.min(NAP, left);
      cancel = timers.after(time, () => {
        left -= time;
        try {
          check();
          if (left <= 0)
            throw failure('http_failed', { reason: `no answer within ${this.#limits.time} ms (--net-timeout)` });
          nap();
        } catch (error) {
          abort.abort(error);
        }
      });
    };
    nap();
    return () => cancel();
  }
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL): number {
  return url.port === '' ? (SCHEMES[url.protocol] ?? 0) : Number(url.port);
}

const FAILURES: Readonly<Record<NetworkFailure, (url: URL, limits: FetchLimits) => TesseraError>> = {
  unknown: () => failure('network_lookup_failed'),
  unreachable: (url) => failure('http_failed', { reason: `error sending request for url (${shown(url)})` }),
  'too-large': (_, { response }) =>
    failure('http_failed', { reason: `the answer is larger than ${response} bytes (--max-net-response)` }),
  invalid: () => failure('http_failed', { reason: 'builder error' }),
};

function unsupported(url: URL): TesseraError {
  return failure('http_failed', { reason: `builder error for url (${shown(url)})` });
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '') throw failure('url_invalid', { url: text });
  return url;
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** The URL in errors: without secrets. */
function shown(url: URL): string {
  const plain = new URL(url.href);
  plain.username = '';
  plain.password = '';
  return plain.href;
}

/**
 * The target of a redirect; an answer with a redirect's status but without a location is an ordinary answer.
 */
function redirectOf(url: URL, { status, headers: { location } }: NetworkAnswer): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  if (!URL.canParse(location, url.href)) {
    throw failure('http_failed', { reason: `${notFollowed(url)}: its location is no URL` });
  }
  return new URL(location, url.href);
}

function notFollowed(url: URL): string {
  return `error following redirect for url (${shown(url)})`;
}

function becomesGet(status: number, method: string): boolean {
  return (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');
}

function without(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
