/** The analyzers of a database, ready to analyze texts: with their FUNCTION. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { Derived } from '../../base/derived.js';
import { andThen, forEachInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { AnalyzerDefinition } from '../../catalog/definitions/definition.js';
import { failure, TesseraError } from '../../errors/error.js';
import { chargedWork } from '../../runtime/charged-work.js';
import type { AnalyzerRegistry, Execution } from '../../runtime/execution.js';
import { type Compiler, Frame } from '../../runtime/frame.js';
import { Scope } from '../../runtime/scope.js';
import type { TextAnalyzer } from '../../runtime/text-analyzer.js';
import { Analyzer } from '../../search/text/analyzer.js';
import type { Lemmas } from '../../search/text/filters.js';
import { CUSTOM, callDefined } from './call-defined.js';

/** Full-text search. */
export interface SearchOptions {
  /** The folders whose files `mapper` may read. */
  readonly mapperFolders: readonly string[];
  /**
   * The basis of scores for users subject to PERMISSIONS: matching rows that they may see, or the whole index,
   * which reveals how frequent words are in hidden rows.
   */
  readonly statistics: 'visible' | 'shared';
}

/** All analyzers of an open store. */
export class Analyzers implements AnalyzerRegistry {
  readonly #compiler: Compiler;
  readonly #files: LemmaFiles;
  readonly #made = new Derived<AnalyzerDefinition, Analyzer>();
  /** Those without FUNCTION, which are the same for all executions. */
  readonly #plain = new Derived<Analyzer, TextAnalyzer>();

  readonly sharesStatistics: boolean;

  constructor(compiler: Compiler, { mapperFolders = [], statistics }: Partial<SearchOptions> = {}) {
    this.#compiler = compiler;
    this.#files = new LemmaFiles(mapperFolders);
    this.sharesStatistics = statistics === 'shared';
  }

  named(execution: Execution, name: string): PromiseOrValue<TextAnalyzer> {
    return andThen(execution.context.catalog(), (catalog) => {
      const definition = catalog?.analyzers.get(name);
      if (definition === undefined) throw failure('analyzer_missing', { name });
      return andThen(this.prepare(execution, definition), (analyzer) => {
        const { function: called } = definition;
        if (called === undefined) return this.#plainOf(analyzer);
        return { analyzer, isPlain: false, source: (text) => this.#call(execution, called, text) };
      });
    });
  }

  #plainOf(analyzer: Analyzer): TextAnalyzer {
    let plain = this.#plain.get(analyzer);
    if (plain === undefined) {
      plain = { analyzer, isPlain: true, source: (text) => text };
      this.#plain.set(analyzer, plain);
    }
    return plain;
  }

  /** Reads the files that a definition names, once. */
  prepare(execution: Execution, definition: AnalyzerDefinition): PromiseOrValue<Analyzer> {
    const made = this.#made.get(definition);
    if (made !== undefined) return made;
    const paths = definition.filters.flatMap((filter) => (filter.kind === 'mapper' ? filter.path : []));
    const lemmas = new Map<string, Lemmas>();
    let count = 0;
    const work = chargedWork(execution, () => count);
    const note = (more: number) => {
      count += more;
      return work.checkpoint();
    };
    const read = forEachInOrder([...new Set(paths)], (path) =>
      andThen(this.#files.read(path, note), (found) => {
        lemmas.set(path, found);
        return undefined;
      }),
    );
    return andThen(read, () => {
      const analyzer = new Analyzer(definition, (path) => lemmas.get(path) ?? new Map());
      this.#made.set(definition, analyzer);
      return analyzer;
    });
  }

  #call(execution: Execution, name: string, text: string): PromiseOrValue<string> {
    const frame = new Frame(execution, new Scope());
    return andThen(
      otherwise(() => callDefined(name, [text], frame, this.#compiler), missing),
      (made) => {
        if (typeof made !== 'string') throw failure('analyzer_result', { name });
        return made;
      },
    );

    function missing(error: unknown): never {
      const isMissing = error instanceof TesseraError && error.code === 'function_not_defined';
      throw isMissing ? failure('function_undefined', { name: CUSTOM + name }) : error;
    }
  }
}

/** The terms of a text, in order. */
export function termsOf(
  execution: Execution,
  { analyzer, source }: TextAnalyzer,
  text: string,
): PromiseOrValue<readonly string[]> {
  const terms: string[] = [];
  const work = chargedWork(execution, () => terms.length);
  return andThen(source(text), (analyzed) =>
    andThen(
      analyzer.terms(analyzed, work, (term) => terms.push(term)),
      () => terms,
    ),
  );
}

// The files that `mapper` names: lemmas by words. Only those of folders that a setting allows are read.

/** Bytes of a file. */
const LARGEST = 16 * 2 ** 20;
/** Bytes that are read before others are let in: some 2 ms where lines are short. */
const STEP = 2 ** 15;
/** Characters of a line: longer ones are no words. */
const LONGEST_LINE = 2 ** 14;
/** Opening a named pipe doesn't wait for a writer. Windows has no such flags. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Called between the steps of reading with the number of lemmas read since the last call; a checkpoint. */
type NoteLemmas = (more: number) => PromiseOrValue<void>;

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
