/**
 * Backups in a store that speaks S3's protocol. Each blob is one object, which needs no multipart upload: parts of
 * backups have 16 MiB.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { AwsClient } from 'aws4fetch';
import { ByteCollector } from '../../base/byte-collector.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Blobs } from './blobs.js';
import { sha256 } from './sha256.js';

/** The location of the objects, and the credentials. */
export interface S3Settings {
  readonly bucket: string;
  /** The prefix of their keys; empty, or ends with a slash. */
  readonly prefix: string;
  /** `https://minio.internal:9000`; `undefined` is Amazon's own. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/** Whether a backup's address names a bucket (`s3://bucket/prefix`) rather than a folder. */
export function isS3Address(location: string): boolean {
  return location.startsWith('s3://');
}

/**
 * Reads `s3://bucket/prefix`, with the variables of the environment that Amazon's own tools take.
 * @throws TesseraError `backup_remote` that names what is missing
 */
export function readS3Address(location: string, environment: Readonly<Record<string, string | undefined>>): S3Settings {
  const [, bucket, path = ''] = S3_ADDRESS.exec(location) ?? [];
  if (bucket === undefined)
    throw failure('backup_remote', { location, reason: 'it is not of the form s3://bucket/prefix' });
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  if (!accessKeyId || !secretAccessKey)
    throw failure('backup_remote', { location, reason: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set' });
  const prefix = path.replace(/\/+$/, '');
  return {
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: environment['AWS_ENDPOINT_URL_S3'] || environment['AWS_ENDPOINT_URL'] || undefined,
    region: environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || 'us-east-1',
    accessKeyId,
    secretAccessKey,
    sessionToken: environment['AWS_SESSION_TOKEN'] || undefined,
  };
}

/** Attempts at a request that fails in the network or the server, each after twice the delay of the one before. */
const ATTEMPTS = 5;
const FIRST_WAIT = 200;
/** Time limit of a request in milliseconds. */
const DEADLINE = 120_000;
/** Bytes of a page of the list of objects, of which there are a thousand, and those that are read of an error. */
const LONGEST_LIST = 8 * 2 ** 20;
const READ_OF_ERROR = 64 * 2 ** 10;

export class S3Blobs implements Blobs {
  readonly location: string;
  readonly #settings: S3Settings;
  /** The URL of the bucket. */
  readonly #bucket: URL;
  #client: Promise<AwsClient> | undefined;

  constructor(settings: S3Settings) {
    const { bucket, prefix, endpoint, region } = settings;
    this.#settings = settings;
    this.location = `s3://${bucket}/${prefix}`;
    this.#bucket =
      endpoint === undefined
        ? new URL(`https://${bucket}.s3.${region}.amazonaws.com/`)
        : new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/`);
  }

  async isEmpty(): Promise<boolean> {
    const url = new URL(this.#bucket);
    // Signed texts have %20 for a blank.
    url.search = `list-type=2&prefix=${percentEncoded(this.#settings.prefix)}`;
    const answer = await this.#request('GET', url);
    if (answer.status !== 200) throw await this.#refused(answer);
    return !(await readBody(answer, 'the list of objects', LONGEST_LIST)).includes('<Contents>');
  }

  async read(name: string, most: number): Promise<Uint8Array | undefined> {
    const answer = await this.#request('GET', this.#urlOf(name));
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw await this.#refused(answer);
    return readBody(answer, name, most);
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const answer = await this.#request('PUT', this.#urlOf(name), bytes);
    if (answer.status !== 200) throw await this.#refused(answer);
  }

  #urlOf(name: string): URL {
    const path = `${this.#settings.prefix}${name}`.split('/').map(percentEncoded).join('/');
    return new URL(path, this.#bucket);
  }

  async #request(method: string, url: URL, body?: Uint8Array): Promise<Response> {
    this.#client ??= this.#newClient();
    const client = await this.#client;
    // The server verifies the bytes by this as well.
    const headers = { 'x-amz-content-sha256': sha256(body ?? new Uint8Array()) };
    for (let attempt = 1; ; attempt++) {
      try {
        const init = {
          method,
          headers,
          signal: AbortSignal.timeout(DEADLINE),
          ...(body && { body: Buffer.from(body) }),
        };
        const answer = await client.fetch(url.href, init);
        if (answer.status < 500 || attempt === ATTEMPTS) return answer;
      } catch (error) {
        if (attempt === ATTEMPTS) throw this.#unreachable(error);
      }
      await wait(FIRST_WAIT * 2 ** (attempt - 1));
    }
  }

  async #newClient(): Promise<AwsClient> {
    const { AwsClient } = await import('aws4fetch');
    const { region, accessKeyId, secretAccessKey, sessionToken } = this.#settings;
    const token = sessionToken === undefined ? {} : { sessionToken };
    return new AwsClient({ service: 's3', retries: 0, region, accessKeyId, secretAccessKey, ...token });
  }

  /** The server's error code, such as `AccessDenied`, and no part of the request. */
  async #refused(answer: Response): Promise<TesseraError> {
    const code = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(await readStart(answer))?.[1];
    const reason = `the server answered with status ${answer.status}${code === undefined ? '' : ` (${code})`}`;
    return failure('backup_remote', { location: this.location, reason });
  }

  #unreachable(error: unknown): TesseraError {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    return failure(
      'backup_remote',
      { location: this.location, reason: `there is no answer: ${reason}` },
      { cause: error },
    );
  }
}

/** Percent-encoding for signatures: all but the unreserved characters of RFC 3986, section 2.3. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** @throws TesseraError `backup_damaged` */
async function readBody({ body }: Response, name: string, most: number): Promise<Buffer> {
  const collected = new ByteCollector();
  collected.expect(most);
  for await (const chunk of body ?? []) {
    if (collected.length + chunk.length > most)
      throw failure('backup_damaged', { what: `${name} has more than ${most} bytes` });
    collected.append(chunk);
  }
  return collected.take();
}

/** The beginning of an answer as text. */
async function readStart({ body }: Response): Promise<string> {
  const collected = new ByteCollector();
  for await (const chunk of body ?? []) {
    collected.append(chunk.subarray(0, READ_OF_ERROR - collected.length));
    if (collected.length === READ_OF_ERROR) break;
  }
  return collected.take().toString();
}
