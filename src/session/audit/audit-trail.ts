/** Reads the audit log of this process back for INFO. */
import type { AuditLog } from '../../audit/audit-log.js';
import { type LogLine, linesFromEnd, linesFromStart } from '../../audit/lines.js';
import { scopeOf } from '../../audit/scope.js';
import type { Work } from '../../base/work/work.js';
import type { AuditLine, AuditTrail, ChainVerdict } from '../../runtime/inspection.js';
import { parseJson } from '../../value/codecs/json-parse.js';
import { parseDatetime } from '../../value/time/datetime.js';
import { isObject, type ObjectValue, objectFrom } from '../../value/value.js';

export class ReadableAuditTrail implements AuditTrail {
  readonly #log: AuditLog;

  constructor(log: AuditLog) {
    this.#log = log;
  }

  async *newestFirst(): AsyncGenerator<readonly AuditLine[]> {
    for await (const lines of linesFromEnd(await this.#log.content())) yield lines.map((line) => this.#line(line));
  }

  async verify(work: Work): Promise<ChainVerdict> {
    return this.#log.verify(allLines(linesFromStart(await this.#log.content()), work));
  }

  #line(line: LogLine): AuditLine {
    const record = line === undefined ? undefined : readRecord(line);
    return { record, databasePath: scopeOf(record), fault: () => this.#log.faultOf(line ?? '') };
  }
}

/** One by one. A line that is too long is no record, as an empty one isn't. */
async function* allLines(batches: AsyncIterable<readonly LogLine[]>, work: Work): AsyncGenerator<string> {
  for await (const lines of batches) {
    await work.checkpoint();
    for (const line of lines) yield line ?? '';
  }
}

function readRecord(line: string): ObjectValue | undefined {
  try {
    const record = parseJson(line);
    if (!isObject(record)) return undefined;
    const { at } = record;
    const time = typeof at === 'string' ? parseDatetime(at) : undefined;
    return time === undefined ? record : objectFrom({ ...record, at: time });
  } catch {
    return undefined;
  }
}
