/** Requests to a bucket of a store that speaks S3's protocol: signed, and repeated where that may help. */
import { setTimeout as wait } from 'node:timers/promises';
import type { AwsClient } from 'aws4fetch';
import { ByteCollector } from '../../base/byte-collector.js';
import type { S3Settings } from './s3-address.js';
import { sha256 } from './sha256.js';

/** Attempts at a request that fails in the network or the server, each after twice the delay of the one before. */
const ATTEMPTS = 5;
const FIRST_WAIT = 200;
/** Milliseconds for the head of an answer, and for each piece of its body that is read by `S3Answer.pieces`. */
const DEADLINE = 120_000;
/** Bytes that are read of an error. */
const READ_OF_ERROR = 64 * 2 ** 10;

export interface S3Request {
  /** Beside the bucket's prefix; the bucket itself without it. */
  readonly name?: string;
  /** `uploads=`: with names and values encoded. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Makes the error of a request that has failed, whose reason has no secret in it. */
export type S3Failure = (reason: string, cause?: unknown) => Error;

export class S3Bucket {
  readonly #settings: S3Settings;
  /** The URL of the bucket. */
  readonly #url: URL;
  readonly #failed: S3Failure;
  #client: Promise<AwsClient> | undefined;

  constructor(settings: S3Settings, failed: S3Failure) {
    const { bucket, endpoint, region } = settings;
    this.#settings = settings;
    this.#failed = failed;
    this.#url =
      endpoint === undefined
        ? new URL(`https://${bucket}.s3.${region}.amazonaws.com/`)
        : new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/`);
  }

  /** The prefix of all names, as keys have it. */
  get prefix(): string {
    return this.#settings.prefix;
  }

  /** The answer with its status, whatever that is below 500. @throws `S3Failure` if there is none */
  async request(method: string, { name, query, headers, body }: S3Request): Promise<S3Answer> {
    const url = name === undefined ? new URL(this.#url) : this.#urlOf(name);
    if (query !== undefined) url.search = query;
    this.#client ??= this.#newClient();
    const client = await this.#client;
    // The server verifies the bytes by this as well.
    const signed = { ...headers, 'x-amz-content-sha256': sha256(body ?? new Uint8Array()) };
    for (let attempt = 1; ; attempt++) {
      const abort = new AbortController();
      const stop = abortLate(abort);
      try {
        const init = { method, headers: signed, signal: abort.signal, ...(body && { body: Buffer.from(body) }) };
        const response = await client.fetch(url.href, init);
        if (response.status < 500 || attempt === ATTEMPTS) return new S3Answer(response, abort, this.#failed);
      } catch (error) {
        if (attempt === ATTEMPTS) throw this.#unreachable(error);
      } finally {
        stop();
      }
      await wait(FIRST_WAIT * 2 ** (attempt - 1));
    }
  }

  /** The same, with an answer of one of the statuses. @throws `S3Failure` */
  async expect(method: string, request: S3Request, ...statuses: readonly number[]): Promise<S3Answer> {
    const answer = await this.request(method, request);
    if (!statuses.includes(answer.status)) throw await answer.refused();
    return answer;
  }

  #urlOf(name: string): URL {
    const path = `${this.prefix}${name}`.split('/').map(percentEncoded).join('/');
    return new URL(path, this.#url);
  }

  async #newClient(): Promise<AwsClient> {
    const { AwsClient } = await import('aws4fetch');
    const { region, accessKeyId, secretAccessKey, sessionToken } = this.#settings;
    const token = sessionToken === undefined ? {} : { sessionToken };
    return new AwsClient({ service: 's3', retries: 0, region, accessKeyId, secretAccessKey, ...token });
  }

  #unreachable(error: unknown): Error {
    return this.#failed(`there is no answer: ${reasonOf(error)}`, error);
  }
}

export class S3Answer {
  readonly #response: Response;
  readonly #abort: AbortController;
  readonly #failed: S3Failure;

  constructor(response: Response, abort: AbortController, failed: S3Failure) {
    this.#response = response;
    this.#abort = abort;
    this.#failed = failed;
  }

  get status(): number {
    return this.#response.status;
  }

  header(name: string): string | null {
    return this.#response.headers.get(name);
  }

  /** The body, piece by piece. @throws `S3Failure` if the connection breaks, or no piece comes for two minutes */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const reader = this.#response.body?.getReader();
    if (reader === undefined) return;
    // One timer for all pieces, which may be small.
    let hasCome = true;
    const stop = abortLate(this.#abort, () => {
      const goesOn = hasCome;
      hasCome = false;
      return goesOn;
    });
    try {
      for (;;) {
        const { done, value } = await reader.read();
        hasCome = true;
        if (done) return;
        yield value;
      }
    } catch (error) {
      throw this.#failed(`the answer breaks off: ${reasonOf(error)}`, error);
    } finally {
      stop();
      await reader.cancel().catch(() => undefined);
    }
  }

  /** The whole body. @throws what `tooLong` makes, for more than `most` bytes */
  async bytes(most: number, tooLong: () => Error): Promise<Buffer> {
    const collected = new ByteCollector();
    collected.expect(most);
    for await (const piece of this.pieces()) {
      if (collected.length + piece.length > most) throw tooLong();
      collected.append(piece);
    }
    return collected.take();
  }

  /** The error of an answer that isn't what was expected: with its code, such as `AccessDenied`. */
  async refused(): Promise<Error> {
    const collected = new ByteCollector();
    for await (const piece of this.pieces()) {
      collected.append(piece.subarray(0, READ_OF_ERROR - collected.length));
      if (collected.length === READ_OF_ERROR) break;
    }
    const code = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(collected.take().toString())?.[1];
    return this.#failed(`the server answered with status ${this.status}${code === undefined ? '' : ` (${code})`}`);
  }
}

/** Aborts a request that has taken too long, unless it goes on by then, or the returned function was called. */
function abortLate(abort: AbortController, goesOn: () => boolean = () => false): () => void {
  const stop = new AbortController();
  const watch = async () => {
    do await wait(DEADLINE, undefined, { signal: stop.signal, ref: false });
    while (goesOn());
    abort.abort();
  };
  watch().catch(() => undefined);
  return () => stop.abort();
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'AbortError') return 'it takes too long';
  return cause instanceof Error ? cause.message : message;
}

/** Percent-encoding for signatures: all but the unreserved characters of RFC 3986, section 2.3. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
