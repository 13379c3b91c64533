/** An audit log in a file, one record per line. */
import { type FileHandle, open } from 'node:fs/promises';
import { OWNER_ONLY } from '../base/private-file.js';
import { failure } from '../errors/error.js';
import { LINE_START } from './chain.js';
import type { AuditSink, LogContent, LogTail } from './sink.js';

const CHUNK = 64 * 1024;
/** Records are shorter; a longer line has another origin. */
const LONGEST_LINE = 1024 * 1024;
const LINE_BREAK = 0x0a;

/**
 * Opens an append-only file, creating it if necessary. Writes are synced to disk. Only one server may write to a file
 * at a time.
 * @throws TesseraError `audit_log_unusable`
 */
export async function openFileSink(path: string): Promise<AuditSink> {
  try {
    return new FileSink(path, await open(path, 'a+', OWNER_ONLY));
  } catch (error) {
    throw unusable(path, (error as Error).message, error);
  }
}

class FileSink implements AuditSink {
  readonly #path: string;
  readonly #file: FileHandle;
  /** Bytes up to the end of the last complete line. */
  #size = 0;
  /** Whether the last write may be incomplete. */
  #isTorn = false;

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  async resume(): Promise<LogTail> {
    const { size } = await this.#file.stat();
    const end = await this.#lineBreakBefore(size);
    const torn = size - end;
    if (torn > 0) await this.#cutOff(end);
    this.#size = end;
    if (end === 0) return { line: undefined, torn };
    const start = await this.#lineBreakBefore(end - 1);
    const line = Buffer.alloc(end - 1 - start);
    await this.#file.read(line, 0, line.length, start);
    return { line: line.toString('utf8'), torn };
  }

  /** Truncates an incomplete last line. */
  async #cutOff(end: number): Promise<void> {
    const start = Buffer.alloc(LINE_START.length);
    const { bytesRead } = await this.#file.read(start, 0, start.length, end);
    if (!LINE_START.startsWith(start.toString('latin1', 0, bytesRead))) throw notOurs(this.#path);
    await this.#file.truncate(end);
  }

  async write(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(`${lines.join('\n')}\n`, 'utf8');
    if (this.#isTorn) await this.#file.truncate(this.#size);
    this.#isTorn = true;
    await this.#file.appendFile(bytes);
    await this.#file.datasync();
    this.#isTorn = false;
    this.#size += bytes.length;
  }

  async content(): Promise<LogContent> {
    const { size } = await this.#file.stat();
    return { size, read: (from, length) => this.#read(from, length) };
  }

  async #read(from: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await this.#file.read(bytes, at, length - at, from + at);
      if (bytesRead === 0) throw unusable(this.#path, 'it was cut off while it was read');
      at += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** The end of the last line that ends before `end`. */
  async #lineBreakBefore(end: number): Promise<number> {
    const chunk = Buffer.alloc(CHUNK);
    for (let from = end; from > 0; ) {
      const length = Math.min(CHUNK, from);
      from -= length;
      await this.#file.read(chunk, 0, length, from);
      const at = chunk.subarray(0, length).lastIndexOf(LINE_BREAK);
      if (at !== -1) return from + at + 1;
      if (end - from > LONGEST_LINE) throw notOurs(this.#path);
    }
    return 0;
  }
}

function notOurs(path: string) {
  return unusable(path, 'it is not an audit log');
}

function unusable(path: string, reason: string, cause?: unknown) {
  return failure('audit_log_unusable', { reason: `${path}: ${reason}` }, { cause });
}
