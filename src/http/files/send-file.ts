/** Sends a file, whole or in ranges, piece by piece. */
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors/error.js';
import type { OpenFile } from '../../session/contract.js';
import { Datetime } from '../../value/value.js';
import type { Context } from '../base/context.js';
import { ClientTimeout } from '../response/client-timeout.js';
import { isRangeCurrent, judgeConditions, type Validators } from './conditions.js';
import { fileHeaders } from './file-headers.js';
import { type ByteRange, contentRange, readRanges } from './ranges.js';

/**
 * The answer to GET and HEAD: 200, 206, or 304.
 * @throws TesseraError `file_changed` (412), `range_unsatisfiable`
 */
export async function sendFile(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  file: OpenFile,
): Promise<unknown> {
  const validators = validatorsOf(file);
  reply.headers(fileHeaders(file.facts));
  reply.header('etag', validators.etag).header('last-modified', new Date(validators.modified * 1000).toUTCString());
  const verdict = judgeConditions(request.headers, validators);
  if (verdict === 'failed') throw failure('file_changed');
  if (verdict === 'not-modified') return reply.code(304).send();
  const asked = isRangeCurrent(request.headers, validators) ? readRanges(request.headers.range, file.size) : undefined;
  if (asked === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`);
    throw failure('range_unsatisfiable', { size: file.size });
  }
  const [first, ...others] = asked ?? [];
  if (first === undefined) return send(context, request, reply, file.size, file.read(0, file.size));
  reply.code(206);
  if (others.length === 0) {
    reply.header('content-range', contentRange(first, file.size));
    return send(context, request, reply, first.to - first.from, file.read(first.from, first.to));
  }
  const parts = new Multipart(file, [first, ...others], context.requestId(request.raw));
  reply.header('content-type', `multipart/byteranges; boundary=${parts.boundary}`);
  return send(context, request, reply, parts.length, parts.bytes());
}

function validatorsOf({ facts }: OpenFile): Validators {
  const { version, updated } = facts;
  return { etag: `"${version}"`, modified: updated instanceof Datetime ? updated.seconds : 0 };
}

async function send(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  length: number,
  bytes: AsyncIterable<Uint8Array>,
): Promise<unknown> {
  reply.header('content-length', length);
  // An answer without a body would have a length of 0.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const stall = new ClientTimeout(context, () => reply.raw.destroy());
  reply.send(Readable.from(watched(context, bytes, stall), { objectMode: false }));
  // A client that disconnects ends it as well.
  await finished(reply.raw).catch(() => undefined);
  return reply;
}

async function* watched(
  { metrics }: Context,
  bytes: AsyncIterable<Uint8Array>,
  stall: ClientTimeout,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of bytes) {
      stall.begin();
      metrics?.files.bytes('out', piece.length);
      yield piece;
      stall.end();
    }
  } finally {
    stall.end();
  }
}

/** Several ranges in one body (RFC 9110, section 14.6). */
class Multipart {
  readonly boundary: string;
  readonly #parts: readonly { readonly head: Buffer; readonly range: ByteRange }[];
  readonly #end: Buffer;
  readonly #file: OpenFile;

  constructor(file: OpenFile, ranges: readonly ByteRange[], id: string) {
    this.#file = file;
    this.boundary = `tessera-${id.replace(/[^0-9a-z]/gi, '').slice(0, 40)}`;
    this.#parts = ranges.map((range) => ({
      range,
      head: Buffer.from(
        `\r\n--${this.boundary}\r\ncontent-type: ${file.facts['type']}\r\ncontent-range: ${contentRange(range, file.size)}\r\n\r\n`,
      ),
    }));
    this.#end = Buffer.from(`\r\n--${this.boundary}--\r\n`);
  }

  get length(): number {
    const parts = this.#parts.map(({ head, range }) => head.length + range.to - range.from);
    return parts.reduce((sum, each) => sum + each, this.#end.length);
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    for (const { head, range } of this.#parts) {
      yield head;
      yield* this.#file.read(range.from, range.to);
    }
    yield this.#end;
  }
}
