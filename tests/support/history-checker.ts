/**
 * Judges what clients have seen of concurrent transactions: whether there is an order of them, one after the other, in which each would have seen
 * just that, and which keeps to real time (strict serializability). After Adya's dependency graphs and Elle (Kingsbury and Alvaro, 2020): from what
 * was read follows who wrote before whom, and a cycle of such dependencies is an anomaly.
 */

/** One thing that a transaction did; a transaction writes under its own number. At most one of a kind and a key in each. */
export type HistoryOperation =
  /** Appended its number to a list, which held `before`. */
  | { readonly kind: 'append'; readonly key: string; readonly before?: readonly number[] | undefined }
  | { readonly kind: 'list'; readonly key: string; readonly found: readonly number[] }
  /** Put its number into a register, which held `before`. */
  | { readonly kind: 'write'; readonly key: string; readonly before?: number | null | undefined }
  | { readonly kind: 'register'; readonly key: string; readonly found: number | null }
  /** Added a record with its number to those that a condition is true of. */
  | { readonly kind: 'insert'; readonly key: string }
  | { readonly kind: 'search'; readonly key: string; readonly found: readonly number[] };

export interface HistoryTransaction {
  readonly id: number;
  /** Where it ran, for people. */
  readonly node: string;
  /** Of one clock, in any unit. */
  readonly began: number;
  readonly ended: number;
  /** Of an unknown one nothing is known but what others have seen of it. */
  readonly outcome: 'committed' | 'aborted' | 'unknown';
  readonly operations: readonly HistoryOperation[];
}

type Writing = Extract<HistoryOperation, { kind: 'append' | 'write' | 'insert' }>;

/**
 * The anomalies of a history, in words; none of one that is right. What was acknowledged must be found by the last transactions that read each key, so
 * that a history ends with reads of all of them.
 */
export function anomaliesOf(history: readonly HistoryTransaction[]): string[] {
  return new HistoryChecker(history).check();
}

class HistoryChecker {
  readonly #transactions = new Map<number, HistoryTransaction>();
  readonly #anomalies: string[] = [];
  /** From each transaction, or moment, to those behind it, with the reason. */
  readonly #edges = new Map<string, Map<string, string>>();

  constructor(history: readonly HistoryTransaction[]) {
    for (const transaction of history) this.#transactions.set(transaction.id, transaction);
  }

  check(): string[] {
    this.#orderLists();
    this.#orderRegisters();
    this.#orderSearches();
    this.#orderTime();
    for (const cycle of this.#cycles()) this.#anomalies.push(cycle);
    return this.#anomalies;
  }

  /** What was read of each key, and what was written to it by transactions that were committed, or may have been. */
  #byKey<Read extends HistoryOperation['kind'], Write extends Writing['kind']>(read: Read, write: Write) {
    type Reads = { reader: HistoryTransaction; operation: Extract<HistoryOperation, { kind: Read }> }[];
    type Writes = { writer: HistoryTransaction; operation: Extract<HistoryOperation, { kind: Write }> }[];
    const keys = new Map<string, { reads: Reads; writes: Writes }>();
    for (const transaction of this.#transactions.values()) {
      if (transaction.outcome === 'aborted') continue;
      for (const operation of transaction.operations) {
        const of = keys.get(operation.key) ?? { reads: [], writes: [] };
        if (operation.kind === read)
          of.reads.push({ reader: transaction, operation: operation as Reads[0]['operation'] });
        else if (operation.kind === write) {
          of.writes.push({ writer: transaction, operation: operation as Writes[0]['operation'] });
        } else continue;
        keys.set(operation.key, of);
      }
    }
    return keys;
  }

  #orderLists(): void {
    for (const [key, { reads, writes }] of this.#byKey('list', 'append')) {
      const seen = [
        ...reads
          .filter(({ reader }) => reader.outcome === 'committed')
          .map((read) => ({ of: read.reader.id, found: read.operation.found })),
        ...writes.flatMap(({ writer, operation: { before } }) =>
          before === undefined ? [] : [{ of: writer.id, found: before }],
        ),
      ];
      const order = seen.reduce<readonly number[]>(
        (longest, { found }) => (found.length > longest.length ? found : longest),
        [],
      );
      if (new Set(order).size < order.length) this.#anomalies.push(`${key} has an element twice: ${order.join(' ')}`);
      for (const element of order) this.#mustNotBeAborted(element, key);
      for (const { of, found } of seen) {
        if (!found.every((element, at) => order[at] === element)) {
          this.#anomalies.push(
            `${of} has read [${found.join(' ')}] of ${key}, which is no beginning of [${order.join(' ')}]`,
          );
        }
        this.#follows(of, found.at(-1), `${of} has read of ${key} what it wrote`);
        this.#follows(order[found.length], of, `it wrote to ${key} what ${of} has not read`);
      }
      for (const [at, element] of order.entries()) this.#follows(element, order[at - 1], `it wrote to ${key} before`);
      for (const { writer } of writes) this.#mustBeThere(writer, order, key);
    }
  }

  #orderRegisters(): void {
    for (const [key, { reads, writes }] of this.#byKey('register', 'write')) {
      const nextWriters = new Map<number | null, number[]>();
      const seen: { readonly of: number; readonly found: number | null }[] = [];
      for (const { writer, operation } of writes) {
        if (operation.before === undefined) continue;
        seen.push({ of: writer.id, found: operation.before });
        nextWriters.set(operation.before, [...(nextWriters.get(operation.before) ?? []), writer.id]);
      }
      for (const { reader, operation } of reads) {
        if (reader.outcome === 'committed') seen.push({ of: reader.id, found: operation.found });
      }
      const written = new Set<number | null>(writes.map(({ writer }) => writer.id));
      for (const { of, found } of seen) {
        if (found !== null) this.#mustNotBeAborted(found, key);
        if (found !== null && !written.has(found))
          this.#anomalies.push(`${of} has read ${found} of ${key}, which was never written`);
        this.#follows(of, found ?? undefined, `${of} has read of ${key} what it wrote`);
        for (const next of nextWriters.get(found) ?? [])
          this.#follows(next, of, `it has overwritten of ${key} what ${of} has read`);
      }
    }
  }

  #orderSearches(): void {
    for (const [key, { reads, writes }] of this.#byKey('search', 'insert')) {
      const committed = reads.filter(({ reader }) => reader.outcome === 'committed');
      const everFound = new Set(committed.flatMap(({ operation }) => operation.found));
      for (const element of everFound) this.#mustNotBeAborted(element, key);
      let last: readonly number[] = [];
      for (const { reader, operation } of committed) {
        const found = new Set(operation.found);
        if (found.size < operation.found.length)
          this.#anomalies.push(`${reader.id} has found a record of ${key} twice`);
        if (found.size > last.length) last = operation.found;
        for (const { writer } of writes) {
          if (writer.outcome === 'unknown' && !everFound.has(writer.id)) continue;
          if (found.has(writer.id))
            this.#follows(reader.id, writer.id, `${reader.id} has found in ${key} what it inserted`);
          else this.#follows(writer.id, reader.id, `it inserted into ${key} what ${reader.id} has not found`);
        }
      }
      for (const { writer } of writes) this.#mustBeThere(writer, last, key);
    }
  }

  #mustNotBeAborted(element: number, key: string): void {
    const { outcome } = this.#transactions.get(element) ?? {};
    if (outcome === undefined) this.#anomalies.push(`${key} has ${element}, which no transaction wrote`);
    if (outcome === 'aborted') this.#anomalies.push(`${key} has ${element}, which was aborted`);
  }

  #mustBeThere({ id, outcome, node }: HistoryTransaction, found: readonly number[], key: string): void {
    if (outcome === 'committed' && !found.includes(id)) {
      this.#anomalies.push(`${id} was acknowledged by ${node}, and is not in ${key}`);
    }
  }

  /** One transaction comes after another, if both are there. */
  #follows(later: number | undefined, earlier: number | undefined, reason: string): void {
    if (later === undefined || earlier === undefined || later === earlier) return;
    this.#edge(`${earlier}`, `${later}`, reason);
  }

  #edge(from: string, to: string, reason: string): void {
    const edges = this.#edges.get(from) ?? new Map<string, string>();
    if (!edges.has(to)) edges.set(to, reason);
    this.#edges.set(from, edges);
  }

  /** What began after another had ended comes after it. Moments in between keep the edges few. */
  #orderTime(): void {
    const moments: { readonly at: number; readonly ends: boolean; readonly id: number }[] = [];
    for (const { id, began, ended, outcome } of this.#transactions.values()) {
      if (outcome === 'aborted') continue;
      moments.push({ at: began, ends: false, id });
      if (outcome === 'committed') moments.push({ at: ended, ends: true, id });
    }
    // Of the same moment those that begin come first: nothing is known of their order.
    moments.sort((a, b) => a.at - b.at || Number(a.ends) - Number(b.ends));
    let last: string | undefined;
    for (const { ends, id } of moments) {
      if (!ends) {
        if (last !== undefined) this.#edge(last, `${id}`, 'it began later');
        continue;
      }
      const moment = `moment ${id}`;
      this.#edge(`${id}`, moment, 'it had ended');
      if (last !== undefined) this.#edge(last, moment, 'later');
      last = moment;
    }
  }

  /** A cycle of each strongly connected component (Tarjan, without recursion). */
  *#cycles(): Generator<string> {
    const index = new Map<string, number>();
    const low = new Map<string, number>();
    const stack: string[] = [];
    const onStack = new Set<string>();
    for (const root of this.#edges.keys()) {
      if (index.has(root)) continue;
      const work: { readonly node: string; readonly left: Iterator<string> }[] = [];
      const enter = (node: string) => {
        index.set(node, index.size);
        low.set(node, index.get(node) as number);
        stack.push(node);
        onStack.add(node);
        work.push({ node, left: (this.#edges.get(node) ?? new Map<string, string>()).keys() });
      };
      enter(root);
      for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
        const { node, left } = top;
        const { value: next, done } = left.next();
        if (done !== true) {
          if (!index.has(next)) enter(next);
          else if (onStack.has(next)) low.set(node, Math.min(low.get(node) as number, index.get(next) as number));
          continue;
        }
        work.pop();
        const above = work.at(-1);
        if (above !== undefined) low.set(above.node, Math.min(low.get(above.node) as number, low.get(node) as number));
        if (low.get(node) !== index.get(node)) continue;
        const component = stack.splice(stack.lastIndexOf(node));
        for (const each of component) onStack.delete(each);
        if (component.length > 1) yield this.#describe(node, new Set(component));
      }
    }
  }

  /** The shortest way from a transaction of a component back to itself. */
  #describe(start: string, component: ReadonlySet<string>): string {
    const came = new Map<string, string>();
    const queue = [start];
    for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
      for (const next of this.#edges.get(node)?.keys() ?? []) {
        if (!component.has(next) || came.has(next)) continue;
        came.set(next, node);
        queue.push(next);
      }
    }
    const path = [start];
    for (let at = came.get(start); at !== undefined && at !== start; at = came.get(at)) path.unshift(at);
    path.unshift(start);
    const steps = path
      .slice(1)
      .map((to, at) => `${path[at]} → ${to} (${this.#edges.get(path[at] as string)?.get(to)})`);
    return `a cycle: ${steps.join(', ')}`;
  }
}
