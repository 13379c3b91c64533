/** The files that `mapper` names: lemmas by words. Only those of folders that a setting allows are read. */
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { failure } from '../../errors/error.js';
import type { Lemmas } from '../../search/filters.js';

/** Bytes of a file. */
const LARGEST = 16 * 2 ** 20;
/** Lines that are read before others are let in. */
const TURN = 4_096;

export class LemmaFiles {
  /** `folders`: whose files may be read, with those of folders in them. */
  constructor(private readonly folders: readonly string[]) {}

  /** @throws TesseraError `analyzer_file_denied`, `analyzer_file`, `analyzer_lemma` */
  async read(path: string, pause: () => Promise<void>): Promise<Lemmas> {
    const allowed = await this.#resolved(path);
    const lines = (await readText(allowed, path)).split('\n');
    const lemmas = new Map<string, string>();
    for (const [number, line] of lines.entries()) {
      if (number % TURN === TURN - 1) await pause();
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (text === '' && number === lines.length - 1) break;
      const [lemma, word, ...others] = text.split('\t');
      if (lemma === undefined || word === undefined || others.length > 0)
        throw failure('analyzer_lemma', { number, line: text.slice(0, LONGEST_SHOWN) });
      lemmas.set(word, lemma);
    }
    return lemmas;
  }

  /** The file with links resolved. Files that aren't allowed fail in the same way whether they exist or not. */
  async #resolved(path: string): Promise<string> {
    if (this.folders.length === 0) throw failure('analyzer_file_denied', { path });
    const file = await realpath(path).catch(() => undefined);
    for (const folder of this.folders) {
      const allowed = await realpath(folder).catch(() => folder);
      if (file?.startsWith(allowed + sep)) return file;
    }
    throw failure('analyzer_file_denied', { path });
  }
}

const LONGEST_SHOWN = 200;

async function readText(file: string, path: string): Promise<string> {
  const handle = await open(file).catch((error: Error) => {
    throw failure('analyzer_file', { path, reason: error.message });
  });
  try {
    const { size } = await handle.stat();
    if (size > LARGEST) throw failure('analyzer_file', { path, reason: `it is larger than ${LARGEST} bytes` });
    return await handle.readFile('utf8').catch((error: Error) => {
      throw failure('analyzer_file', { path, reason: error.message });
    });
  } finally {
    await handle.close();
  }
}
