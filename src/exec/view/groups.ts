/**
 * The groups of a view. Beside the record that everybody sees, each group has a total for each of its aggregates, and for minima and maxima
 * its values in their order. What a record of a source gave to a group is remembered as well, since what it would give now may be another
 * thing: expressions may follow links or look at the clock.
 *
 * A change of a record costs a few keys, however large the groups are.
 */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { TableDefinition } from '../../catalog/definitions/definition.js';
import { prefixRange, viewOrderPrefix, viewPrefix, viewRowKey } from '../../catalog/keys.js';
import { forEachBatch } from '../../storage/cursor.js';
import { encodeKey } from '../../value/key-codec.js';
import { compare } from '../../value/order.js';
import { sortedKeys } from '../../value/strings.js';
import { type ArrayValue, newObject, RecordId, type Value } from '../../value/value.js';
import { type Execution, Frame, Scope } from '../execution.js';
import { writeAt } from '../operators/projections.js';
import { aggregateParam, type Columns, keyParam } from './columns.js';
import type { SourceChange } from './source-change.js';
import { checkTallied, type Extreme } from './tallies.js';

/** What a record gives: the keys of its group, and a value for each aggregate. Stored as it is. */
type Gift = readonly [keys: ArrayValue, values: ArrayValue];

/** A group that is being changed. */
interface Group {
  readonly keys: ArrayValue;
  count: number;
  /**
   * One for each aggregate. For an extreme it is the best of those values that will never be taken back: they come from tables that keep no
   * records, and would fill the store.
   */
  readonly totals: Value[];
}

export class Groups {
  readonly #execution: Execution;
  readonly #view: TableDefinition;
  readonly #columns: Columns;
  readonly #prefixes: Readonly<Record<'group' | 'row' | 'order', string>>;
  /** Those that were changed, by their encoded keys. */
  readonly #changed = new Map<string, Group>();

  constructor(execution: Execution, { database }: DatabaseCatalog, view: TableDefinition, columns: Columns) {
    this.#execution = execution;
    this.#view = view;
    this.#columns = columns;
    this.#prefixes = {
      group: viewPrefix(database.id, view.id, 'group'),
      row: viewPrefix(database.id, view.id, 'row'),
      order: viewPrefix(database.id, view.id, 'order'),
    };
  }

  /** Takes back what a record gave before it was changed, and adds what it gives now, if it still belongs to the view. */
  replace({ source, id, before }: SourceChange, frame: Frame | undefined): PromiseOrValue<void> {
    const { transaction } = this.#execution.unit;
    const key = viewRowKey(this.#prefixes.row, source.definition.id, encodeKey(id.key));
    const given = before === undefined ? undefined : transaction.get(key);
    return andThen(given as PromiseOrValue<Gift | undefined>, (old) =>
      andThen(frame && this.#giftOf(frame), (fresh) => {
        const isKept = !source.definition.drop;
        if (fresh !== undefined && isKept) transaction.put(key, fresh);
        else if (old !== undefined) transaction.delete(key);
        // Sums of floats would drift if the same value were taken from them and added again.
        if (old !== undefined && fresh !== undefined && encodeKey(old) === encodeKey(fresh)) {
          return andThen(this.#open(fresh), () => undefined);
        }
        return andThen(old && this.#take(old), () => fresh && this.#give(fresh, isKept));
      }),
    );
  }

  /** Puts a group where it was once. */
  restore(keys: ArrayValue, count: number, totals: ArrayValue): void {
    this.#changed.set(encodeKey(keys), { keys, count, totals: [...totals] });
  }

  /** Writes the records of the groups that were changed. */
  finish(): PromiseOrValue<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    return forEachInOrder(changed, ([key, group]) => andThen(this.#write(key, group), () => undefined));
  }

  #giftOf(frame: Frame): PromiseOrValue<Gift> {
    const { keys, aggregates } = this.#columns;
    return andThen(
      mapInOrder(keys, (key) => key(frame)),
      (own) =>
        andThen(
          mapInOrder(aggregates, ({ argument, path, tally }) =>
            andThen(argument(frame), (value) => {
              checkTallied(path, tally, value);
              return value;
            }),
          ),
          (values): Gift => [own, values],
        ),
    );
  }

  #open([keys]: Gift): PromiseOrValue<Group> {
    const key = encodeKey(keys);
    const open = this.#changed.get(key);
    if (open !== undefined) return open;
    const stored = this.#execution.unit.transaction.get(this.#prefixes.group + key);
    return andThen(stored as PromiseOrValue<ArrayValue | undefined>, (found) => {
      const group: Group =
        found === undefined
          ? { keys, count: 0, totals: this.#columns.aggregates.map(({ tally }) => initialOf(tally)) }
          : { keys, count: found[0] as number, totals: found.slice(1) };
      this.#changed.set(key, group);
      return group;
    });
  }

  #give(gift: Gift, isKept: boolean): PromiseOrValue<void> {
    return andThen(this.#open(gift), (group) => {
      group.count++;
      return this.#forEach(gift, (tally, value, at) => {
        const total = group.totals[at];
        if (tally.kind === 'extreme') {
          if (isKept) return this.#tell(gift, at, value, 1);
          group.totals[at] = better(tally, total, value);
        } else group.totals[at] = tally.add(total, value);
      });
    });
  }

  #take(gift: Gift): PromiseOrValue<void> {
    return andThen(this.#open(gift), (group) => {
      group.count--;
      return this.#forEach(gift, (tally, value, at) => {
        if (tally.kind === 'extreme') return this.#tell(gift, at, value, -1);
        group.totals[at] = tally.remove(group.totals[at], value);
      });
    });
  }

  #forEach(
    [, values]: Gift,
    visit: (tally: Columns['aggregates'][number]['tally'], value: Value, at: number) => PromiseOrValue<void>,
  ): PromiseOrValue<void> {
    return forEachInOrder(this.#columns.aggregates, ({ tally }, at) =>
      andThen(visit(tally, values[at], at), () => undefined),
    );
  }

  /** Changes how often a value is there, among those in their order. */
  #tell([keys]: Gift, column: number, value: Value, by: 1 | -1): PromiseOrValue<void> {
    const { transaction } = this.#execution.unit;
    const key = viewOrderPrefix(this.#prefixes.order, encodeKey(keys), column) + encodeKey(value);
    return andThen(transaction.get(key), (stored) => {
      const count = (stored === undefined ? 0 : ((stored as ArrayValue)[0] as number)) + by;
      if (count > 0) transaction.put(key, [count, value]);
      else transaction.delete(key);
    });
  }

  #write(key: string, group: Group): PromiseOrValue<void> {
    const { transaction } = this.#execution.unit;
    const { writer } = this.#execution;
    const id = new RecordId(this.#view.name, group.keys);
    if (group.count === 0) {
      transaction.delete(this.#prefixes.group + key);
      return writer.put(this.#execution, id, undefined);
    }
    transaction.put(this.#prefixes.group + key, [group.count, ...group.totals]);
    return andThen(this.#scopeOf(key, group), (scope) => {
      const frame = new Frame(this.#execution, scope);
      const record = newObject();
      const written = forEachInOrder(this.#columns.shown, ({ path, evaluate }) =>
        andThen(evaluate(frame), (value) => {
          writeAt(record, path, value);
          return undefined;
        }),
      );
      return andThen(written, () => {
        record['id'] = id;
        const ordered = newObject();
        for (const name of sortedKeys(record)) ordered[name] = record[name];
        return writer.put(this.#execution, id, ordered);
      });
    });
  }

  /** The keys of a group and the results of its aggregates, as the columns find them. */
  #scopeOf(key: string, { keys, count, totals }: Group): PromiseOrValue<Scope> {
    const scope = new Scope();
    keys.forEach((value, at) => {
      scope.set(keyParam(at), value);
    });
    const done = forEachInOrder(this.#columns.aggregates, ({ tally }, at) => {
      const total = totals[at];
      const result = tally.kind === 'sum' ? tally.result(total, count) : this.#best(tally, key, at, total);
      return andThen(result, (value) => {
        scope.set(aggregateParam(at), value);
        return undefined;
      });
    });
    return andThen(done, () => scope);
  }

  #best(tally: Extreme, key: string, column: number, kept: Value): PromiseOrValue<Value> {
    const range = prefixRange(viewOrderPrefix(this.#prefixes.order, key, column));
    const cursor = this.#execution.unit.transaction.scan(range, { reverse: tally.end === 'last', limit: 1 });
    let best = kept;
    const found = forEachBatch(cursor, (entries) => {
      for (const [, stored] of entries) best = better(tally, best, (stored as ArrayValue)[1]);
      return true;
    });
    return andThen(found, () => best);
  }
}

function initialOf(tally: Columns['aggregates'][number]['tally']): Value {
  return tally.kind === 'sum' ? tally.initial : undefined;
}

function better({ end }: Extreme, best: Value, value: Value): Value {
  if (best === undefined) return value;
  return compare(value, best) < 0 === (end === 'first') ? value : best;
}
