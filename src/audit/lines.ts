/** Lines of a log that is read back, in chunks, from its end or from its beginning. */
import type { LogContent } from './sink.js';

/** Bytes that are read at once: processing them takes a few milliseconds. */
const CHUNK = 32 * 1024;
/** Records are shorter; a longer line has another origin, and isn't held in memory. */
const LONGEST_LINE = 64 * 1024;
const LINE_BREAK = 0x0a;

/** The text of a line without its line break; `undefined` if it is too long for a record. */
export type LogLine = string | undefined;

/** Complete lines, the last first, batch by batch. Text behind the last line break is left out. */
export async function* linesFromEnd(content: LogContent): AsyncGenerator<readonly LogLine[]> {
  // Behind the last line break there is nothing, or a record that is being written.
  let isBehindLast = true;
  let rest = new PartialLine();
  for (let end = content.size; end > 0; ) {
    const from = Math.max(0, end - CHUNK);
    const chunk = await content.read(from, end - from);
    const lines: LogLine[] = [];
    let stop = chunk.length;
    for (let at = lineBreakBefore(chunk, stop); at !== -1; at = lineBreakBefore(chunk, stop)) {
      rest.prepend(chunk.subarray(at + 1, stop));
      if (!isBehindLast) lines.push(rest.text);
      isBehindLast = false;
      rest = new PartialLine();
      stop = at;
    }
    rest.prepend(chunk.subarray(0, stop));
    end = from;
    if (end === 0 && !isBehindLast) lines.push(rest.text);
    yield lines;
  }
}

/** The complete lines of a log from its start, in batches, in order. */
export async function* linesFromStart(content: LogContent): AsyncGenerator<readonly LogLine[]> {
  let rest = new PartialLine();
  for (let from = 0; from < content.size; ) {
    const chunk = await content.read(from, Math.min(CHUNK, content.size - from));
    const lines: LogLine[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at !== -1; at = chunk.indexOf(LINE_BREAK, start)) {
      rest.append(chunk.subarray(start, at));
      lines.push(rest.text);
      rest = new PartialLine();
      start = at + 1;
    }
    rest.append(chunk.subarray(start));
    from += chunk.length;
    yield lines;
  }
}

/** -1 if there is none. A negative position would count from the end. */
function lineBreakBefore(chunk: Buffer, stop: number): number {
  return stop === 0 ? -1 : chunk.lastIndexOf(LINE_BREAK, stop - 1);
}

/** A line of which more is to be read; one that is too long is forgotten. */
class PartialLine {
  #bytes: Buffer | undefined = Buffer.alloc(0);

  prepend(bytes: Buffer): void {
    this.#join(bytes, true);
  }

  append(bytes: Buffer): void {
    this.#join(bytes, false);
  }

  #join(bytes: Buffer, isBefore: boolean): void {
    const known = this.#bytes;
    if (known === undefined) return;
    if (known.length + bytes.length > LONGEST_LINE) this.#bytes = undefined;
    else this.#bytes = Buffer.concat(isBefore ? [bytes, known] : [known, bytes]);
  }

  get text(): LogLine {
    return this.#bytes?.toString('utf8');
  }
}
