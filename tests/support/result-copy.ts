/** The copy that a client has of a LIVE QUERY's result: right at a versionstamp, and changed by whole evaluations. */

/** As JSON has them. */
export interface ResultMessage {
  readonly id: string;
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | 'KILLED';
  readonly record: string | null;
  readonly result: unknown;
  readonly position?: number;
  readonly versionstamp: string;
}

export interface ResultAnswer {
  readonly id: string;
  readonly result?: unknown;
  readonly versionstamp: string;
  readonly resumed?: 'unchanged' | 'differences' | 'fresh';
}

interface Row {
  readonly id: string;
}

export class ResultCopy {
  value: unknown;
  /** Where the client goes on from. */
  stamp: string | undefined;
  /** What was wrong with what it was sent. */
  readonly faults: string[] = [];
  /** Of an evaluation of which the last isn't there yet. */
  #begun: ResultMessage[] = [];

  /** Of an evaluation of which not all had come nothing is kept. */
  begin({ result, versionstamp, resumed }: ResultAnswer): void {
    this.#begun = [];
    if (resumed === 'unchanged' || resumed === 'differences') {
      if (versionstamp !== this.stamp) this.faults.push(`${resumed} from ${versionstamp}, not ${this.stamp}`);
      return;
    }
    this.#rise(versionstamp);
    this.value = result ?? null;
  }

  /** Whether an evaluation has come to its end. */
  take(message: ResultMessage): boolean {
    this.#begun.push(message);
    if (message.versionstamp === this.stamp) return false;
    this.#rise(message.versionstamp);
    const before = JSON.stringify(this.value);
    for (const each of this.#begun.splice(0)) this.value = this.#applied(each);
    if (JSON.stringify(this.value) === before) this.faults.push(`nothing differs at ${message.versionstamp}`);
    return true;
  }

  #rise(stamp: string): void {
    const former = this.stamp;
    if (former !== undefined && BigInt(stamp) <= BigInt(former)) this.faults.push(`${stamp} after ${former}`);
    this.stamp = stamp;
  }

  #applied({ action, record, result, position }: ResultMessage): unknown {
    if (record === null || record.startsWith('result:')) return result;
    const rows = this.value as readonly Row[];
    const at = rows.findIndex(({ id }) => id === record);
    const others = rows.filter((_, place) => place !== at);
    if ((action === 'CREATE') !== at < 0)
      this.faults.push(`${action} ${record}, which is ${at < 0 ? 'not ' : ''}there`);
    if (action === 'DELETE') return others;
    const place = position ?? (at < 0 ? others.length : at);
    if (place > others.length) this.faults.push(`${action} ${record} at ${place} of ${others.length}`);
    return [...others.slice(0, place), result, ...others.slice(place)];
  }
}

/** As far as their order isn't asked for, rows are a set. */
export function shownAsJson(text: string, result: unknown): string {
  const isOrdered = !text.startsWith('SELECT') || text.includes('ORDER');
  if (isOrdered || !Array.isArray(result)) return JSON.stringify(result);
  return result
    .map((row) => JSON.stringify(row))
    .sort()
    .join('\n');
}
