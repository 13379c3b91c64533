/** What a client makes of a LIVE QUERY: its first result, to which it applies each difference as it comes. */
import type { Notification, Session } from '../../../src/session/contract.js';
import { identical } from '../../../src/value/identical.js';
import { toText } from '../../../src/value/text/text.js';
import { isArray, isObject, type ObjectValue, type Value } from '../../../src/value/value.js';
import { run } from '../../support/world.js';

export class ResultClient {
  result: Value;
  /** Why it has ended. */
  ended: string | undefined;
  /** What was wrong with the messages themselves. */
  readonly faults: string[] = [];
  messages = 0;
  readonly id: string;

  private constructor(
    first: ObjectValue,
    readonly text: string,
  ) {
    this.id = toText(first['id']);
    this.result = first['result'];
  }

  /** A session's one LIVE QUERY after the other; a session tells its clients apart by their ids. */
  static async begin(listener: Listener, text: string): Promise<ResultClient> {
    const [answer] = await run(listener.session, `LIVE QUERY ${text}`);
    const client = new ResultClient(answer as ObjectValue, text);
    listener.clients.set(client.id, client);
    return client;
  }

  hear({ action, record, result, position, reason }: Notification): void {
    this.messages++;
    if (action === 'KILLED') {
      this.ended = reason?.code ?? 'killed';
      return;
    }
    const before = this.result;
    if (record === undefined) this.result = result;
    else if (isArray(before)) this.result = this.#applied(before, { action, record, result, position });
    else this.faults.push(`${action} of a row, while there are none`);
    if (identical(before, this.result)) this.faults.push(`${action} ${toText(record)} changes nothing`);
  }

  #applied(
    rows: readonly Value[],
    { action, record, result, position }: Pick<Notification, 'action' | 'record' | 'result' | 'position'>,
  ): Value {
    const name = toText(record);
    const at = rows.findIndex((row) => isObject(row) && toText(row['id']) === name);
    const others = rows.filter((_, place) => place !== at);
    if ((action === 'CREATE') !== at < 0) this.faults.push(`${action} ${name}, which is ${at < 0 ? 'not ' : ''}there`);
    if (action === 'DELETE') return others;
    const place = position ?? (at < 0 ? others.length : at);
    if (place > others.length) this.faults.push(`${action} ${name} at ${place} of ${others.length}`);
    return [...others.slice(0, place), result, ...others.slice(place)];
  }
}

/** A session with the clients of its LIVE QUERYs. */
export class Listener {
  readonly clients = new Map<string, ResultClient>();
  /** Until this is done the connection takes nothing more. */
  pause: Promise<void> | undefined;

  constructor(readonly session: Session) {
    session.listen((notification) => {
      this.clients.get(toText(notification.id))?.hear(notification);
      return this.pause;
    });
  }
}

/** As far as their order isn't asked for, rows are a set. */
export function shown(result: Value, text: string): string {
  const isOrdered = !text.startsWith('SELECT') || text.includes('ORDER');
  if (isOrdered || !isArray(result)) return toText(result);
  return result
    .map((row) => toText(row))
    .sort()
    .join('\n');
}
