/** The files that `mapper` names: lemmas by words. Only those of folders that a setting allows are read. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { SerialQueue } from '../../base/serial-queue.js';
import { failure } from '../../errors/error.js';
import type { Lemmas } from '../../search/text/filters.js';

/** Bytes of a file. */
const LARGEST = 16 * 2 ** 20;
/** Bytes that are read before others are let in: some 2 ms where lines are short. */
const STEP = 2 ** 15;
/** Characters of a line: longer ones are no words. */
const LONGEST_LINE = 2 ** 14;
/** Opening a named pipe doesn't wait for a writer. Windows has no such flags. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Called between the steps of reading with the number of lemmas read since the last call; a checkpoint. */
export type NoteLemmas = (more: number) => PromiseOrValue<void>;

export class LemmaFiles {
  /** Analyzers share what is read of a file, for as long as one of them uses it. */
  readonly #known = new Map<string, WeakRef<Map<string, string>>>();
  readonly #queue = new SerialQueue();

  /** `folders`: whose files may be read, with those of folders in them. */
  constructor(private readonly folders: readonly string[]) {}

  /**
   * Reads a file, unless it has been read and hasn't changed. One at a time, so that many requests for a large file
   * hold it once.
   * @throws TesseraError `analyzer_file_denied`, `analyzer_file`, `analyzer_lemma`, and what `note` throws
   */
  async read(path: string, note: NoteLemmas): Promise<Lemmas> {
    const allowed = await this.#resolved(path);
    return this.#queue.run(async () => {
      const file = await opened(allowed, path);
      try {
        return await this.#readOpen(file, { allowed, path, note });
      } finally {
        await file.close();
      }
    });
  }

  async #readOpen(file: FileHandle, reading: Reading): Promise<Lemmas> {
    const before = await file.stat();
    if (!before.isFile()) throw unreadable(reading.path, 'it is no regular file');
    if (before.size > LARGEST) throw unreadable(reading.path, TOO_LARGE);
    await this.#mustStayAllowed(before, reading);
    const known = this.#known.get(versionOf(before))?.deref();
    if (known !== undefined) return known;
    const lemmas = await readLemmas(file, before.size, reading);
    if (versionOf(await file.stat()) !== versionOf(before)) throw unreadable(reading.path, CHANGED);
    for (const [version, kept] of this.#known) if (kept.deref() === undefined) this.#known.delete(version);
    this.#known.set(versionOf(before), new WeakRef(lemmas));
    return lemmas;
  }

  /** The file with links resolved. Files that aren't allowed fail in the same way whether they exist or not. */
  async #resolved(path: string): Promise<string> {
    if (this.folders.length === 0) throw failure('analyzer_file_denied', { path });
    const file = await realpath(path).catch(() => undefined);
    for (const folder of this.folders) {
      const allowed = await realpath(folder).catch(() => folder);
      if (file?.startsWith(allowed.endsWith(sep) ? allowed : allowed + sep)) return file;
    }
    throw failure('analyzer_file_denied', { path });
  }

  /** A folder on the way may have become a link between resolving the path and opening the file. */
  async #mustStayAllowed({ dev, ino }: Stats, { allowed, path }: Reading): Promise<void> {
    const now = (await this.#resolved(path)) === allowed ? await stat(allowed).catch(() => undefined) : undefined;
    if (now?.dev !== dev || now.ino !== ino) throw failure('analyzer_file_denied', { path });
  }
}

interface Reading {
  /** The path with links resolved. */
  readonly allowed: string;
  /** The path as it was written. */
  readonly path: string;
  readonly note: NoteLemmas;
}

const TOO_LARGE = `it is larger than ${LARGEST} bytes`;
const CHANGED = 'it was changed while it was read';

function versionOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join();
}

/** Reasons name the kind of error alone: the system's text has the path behind links. */
function unreadable(path: string, error: unknown) {
  const reason = typeof error === 'string' ? error : String((error as NodeJS.ErrnoException).code);
  return failure('analyzer_file', { path, reason });
}

function opened(file: string, path: string): Promise<FileHandle> {
  return open(file, FLAGS).catch((error: unknown) => {
    throw unreadable(path, error);
  });
}

/** `length`: of the file, in bytes. @throws TesseraError as `read` */
async function readLemmas(file: FileHandle, length: number, { path, note }: Reading): Promise<Map<string, string>> {
  const lemmas = new Map<string, string>();
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(STEP);
  let number = 0;
  let rest = '';
  for (let size = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, STEP, size).catch((error: unknown) => {
      throw unreadable(path, error);
    });
    size += bytesRead;
    // Some of the system's files say that they are empty.
    if (size > length) throw unreadable(path, CHANGED);
    const isLast = bytesRead === 0;
    const lines = (rest + (isLast ? decoder.end() : decoder.write(buffer.subarray(0, bytesRead)))).split('\n');
    rest = isLast ? '' : (lines.pop() ?? '');
    if (isLast && lines.at(-1) === '') lines.pop();
    if (rest.length > LONGEST_LINE) throw failure('analyzer_lemma', { number: number + lines.length });
    const before = lemmas.size;
    for (const line of lines) addLemma(lemmas, line, number++);
    await note(lemmas.size - before);
    if (isLast) return lemmas;
  }
}

/** @throws TesseraError `analyzer_lemma` with the number of the line; what a file holds is in no error */
function addLemma(lemmas: Map<string, string>, line: string, number: number): void {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  const [lemma, word, ...others] = text.split('\t', 3);
  if (lemma === undefined || word === undefined || others.length > 0) throw failure('analyzer_lemma', { number });
  lemmas.set(word, lemma);
}
