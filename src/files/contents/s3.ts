/** Contents in a store that speaks S3's protocol: `<prefix>/<bucket>/<id>`. Large ones are sent in parts. */
import { failure, type TesseraError } from '../../errors/error.js';
import type { S3Settings } from '../../storage/s3/s3-address.js';
import { percentEncoded, S3Bucket } from '../../storage/s3/s3-bucket.js';
import type { Contents } from './contents.js';
import { equalPieces } from './pieces.js';

/** Bytes of a part. S3 takes 10,000 of them: 160 GiB. */
const PART = 16 * 2 ** 20;
/** Bytes of a page of a list, of which there are a thousand, and of other answers. */
const LONGEST_ANSWER = 8 * 2 ** 20;

export class S3Contents implements Contents {
  readonly #bucket: S3Bucket;
  readonly #name: string;

  constructor(settings: S3Settings, name: string) {
    this.#name = name;
    this.#bucket = new S3Bucket(settings, (reason, cause) => this.#failed(reason, cause));
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    let upload: MultipartUpload | undefined;
    // Whether there are several parts is known when the second one comes.
    let last: Uint8Array = new Uint8Array();
    try {
      for await (const part of equalPieces(bytes, PART)) {
        if (last.length > 0) {
          upload ??= await this.#begin(id);
          await upload.send(last);
        }
        last = part;
      }
      if (upload === undefined) await this.#bucket.expect('PUT', { name: id, body: last }, 200);
      else {
        await upload.send(last);
        await upload.complete();
      }
    } catch (error) {
      await upload?.abort().catch(() => undefined);
      throw error;
    }
  }

  async #begin(id: string): Promise<MultipartUpload> {
    const answer = await this.#bucket.expect('POST', { name: id, query: 'uploads=' }, 200);
    const text = (await answer.bytes(LONGEST_ANSWER, () => this.#failed('its answer is too long'))).toString();
    const uploadId = unescaped(/<UploadId>([^<]+)<\/UploadId>/.exec(text)?.[1] ?? '');
    if (uploadId === '') throw this.#failed('it gave no id of an upload');
    return new MultipartUpload(this.#bucket, id, uploadId, (reason) => this.#failed(reason));
  }

  async *read(id: string, from: number, to: number): AsyncGenerator<Uint8Array> {
    if (from === to) return;
    const headers = { range: `bytes=${from}-${to - 1}` };
    const answer = await this.#bucket.expect('GET', { name: id, headers }, 200, 206, 404);
    if (answer.status === 404) throw this.#failed('the file has been deleted meanwhile');
    // A store that doesn't know ranges sends all of it.
    const skipped = answer.status === 200 ? from : 0;
    let at = 0;
    for await (const piece of answer.pieces()) {
      const part = piece.subarray(Math.max(0, skipped - at), Math.max(0, skipped + to - from - at));
      at += piece.length;
      if (part.length > 0) yield part;
    }
    if (at < skipped + to - from) throw this.#failed('the file is shorter than it was');
  }

  async delete(id: string): Promise<void> {
    await this.#bucket.expect('DELETE', { name: id }, 200, 204, 404);
  }

  list(): AsyncGenerator<string> {
    return this.#names('', /<Key>([^<]*)<\/Key>/g);
  }

  /** The names up to the next slash, where this is the place in which buckets have theirs. */
  folders(): AsyncGenerator<string> {
    return this.#names('&delimiter=%2F', /<CommonPrefixes><Prefix>([^<]*)\/<\/Prefix><\/CommonPrefixes>/g);
  }

  async *#names(more: string, pattern: RegExp): AsyncGenerator<string> {
    const { prefix } = this.#bucket;
    let token: string | undefined;
    do {
      const next = token === undefined ? '' : `continuation-token=${percentEncoded(token)}&`;
      const query = `${next}list-type=2&prefix=${percentEncoded(prefix)}${more}`;
      const answer = await this.#bucket.expect('GET', { query }, 200);
      const text = (await answer.bytes(LONGEST_ANSWER, () => this.#failed('its list is too long'))).toString();
      for (const [, key = ''] of text.matchAll(pattern)) yield unescaped(key).slice(prefix.length);
      token = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(text)?.[1];
      if (token !== undefined) token = unescaped(token);
    } while (token !== undefined);
  }

  async clear(): Promise<void> {
    for await (const id of this.list()) await this.delete(id);
  }

  #failed(reason: string, cause?: unknown): TesseraError {
    return failure('bucket_store', { name: this.#name, reason }, { cause });
  }
}

/** A large object that is sent in parts: it is there once it is complete. */
class MultipartUpload {
  readonly #bucket: S3Bucket;
  readonly #name: string;
  readonly #id: string;
  readonly #failed: (reason: string) => Error;
  readonly #tags: string[] = [];
  #size = 0;

  constructor(bucket: S3Bucket, name: string, id: string, failed: (reason: string) => Error) {
    this.#bucket = bucket;
    this.#name = name;
    this.#id = id;
    this.#failed = failed;
  }

  async send(body: Uint8Array): Promise<void> {
    const query = `partNumber=${this.#tags.length + 1}&uploadId=${percentEncoded(this.#id)}`;
    const answer = await this.#bucket.expect('PUT', { name: this.#name, query, body }, 200);
    this.#tags.push(answer.header('etag') ?? '');
    this.#size += body.length;
  }

  async complete(): Promise<void> {
    const parts = this.#tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const query = `uploadId=${percentEncoded(this.#id)}`;
    const answer = await this.#bucket.request('POST', { name: this.#name, query, body });
    if (answer.status !== 200) {
      const refused = await answer.refused();
      if (await this.#isThere()) return;
      throw refused;
    }
    // S3 answers with 200 before it knows.
    const text = (await answer.bytes(LONGEST_ANSWER, () => this.#failed('its answer is too long'))).toString();
    const code = /<Error>.*<Code>([A-Za-z]{1,64})<\/Code>/s.exec(text)?.[1];
    if (code !== undefined) throw this.#failed(`the server answered with an error (${code})`);
  }

  /** Whether an attempt before has completed it, whose answer was lost. */
  async #isThere(): Promise<boolean> {
    const answer = await this.#bucket.request('HEAD', { name: this.#name });
    return answer.status === 200 && Number(answer.header('content-length')) === this.#size;
  }

  async abort(): Promise<void> {
    await this.#bucket.request('DELETE', { name: this.#name, query: `uploadId=${percentEncoded(this.#id)}` });
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
}
