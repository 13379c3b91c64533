/**
 * The groups of a view with GROUP. Beside the visible record, the state of each group is stored: a running total for
 * each of its aggregates, and for minima and maxima its values in their order. What each record of a source contributed
 * to a group is stored as well, since it may contribute something else now: expressions may follow links or read the
 * clock.
 *
 * A change of a record costs a few keys, however large the groups are.
 */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { TableDefinition } from '../../catalog/definitions/definition.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { viewOrderPrefix, viewPrefix, viewRowKey } from '../../catalog/keys/store-keys.js';
import { checkAggregated, type Extremum } from '../../functions/incremental-aggregates.js';
import { aggregateParam, keyParam } from '../../plan/bind-view.js';
import type { Execution } from '../../runtime/execution.js';
import { Frame } from '../../runtime/frame.js';
import { Scope } from '../../runtime/scope.js';
import { forEachBatch } from '../../storage/cursor.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import { compare } from '../../value/order.js';
import { sortedKeys } from '../../value/strings.js';
import { type ArrayValue, newObject, RecordId, type Value } from '../../value/value.js';
import { writeAt } from '../operators/rows/projections.js';
import type { Columns, TotalColumn } from './group-columns.js';
import type { SourceRecord, ViewRecords } from './view-records.js';

/** The contribution of a record: the keys of its group, and a value for each aggregate. Stored as it is. */
type Contribution = readonly [keys: ArrayValue, values: ArrayValue];

/** A group that is being changed. */
interface Group {
  readonly keys: ArrayValue;
  count: number;
  /**
   * One for each aggregate. For an extremum it is the best of those values that will never be removed: they come from
   * tables that keep no records, and would fill the store.
   */
  readonly totals: Value[];
}

export class GroupedView implements ViewRecords {
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

  replace({ source, id, before }: SourceRecord, frame: Frame | undefined): PromiseOrValue<void> {
    const { transaction } = this.#execution.context;
    const key = viewRowKey(this.#prefixes.row, source.definition.id, encodeKey(id.key));
    const contributed = before === undefined ? undefined : transaction.get(key);
    return andThen(contributed as PromiseOrValue<Contribution | undefined>, (old) =>
      andThen(frame && this.#contributionOf(frame), (fresh) => {
        const isKept = !source.definition.drop;
        if (fresh !== undefined && isKept) transaction.put(key, fresh);
        else if (old !== undefined) transaction.delete(key);
        // Sums of floats would drift if the same value were taken from them and added again.
        if (old !== undefined && fresh !== undefined && encodeKey(old) === encodeKey(fresh)) {
          return andThen(this.#open(fresh), () => undefined);
        }
        return andThen(old && this.#remove(old), () => fresh && this.#add(fresh, isKept));
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

  #contributionOf(frame: Frame): PromiseOrValue<Contribution> {
    const { keys, aggregates } = this.#columns;
    return andThen(
      mapInOrder(keys, (key) => key(frame)),
      (own) =>
        andThen(
          mapInOrder(aggregates, ({ argument, path, aggregate }) =>
            andThen(argument(frame), (value) => {
              checkAggregated(path, aggregate, value);
              return value;
            }),
          ),
          (values): Contribution => [own, values],
        ),
    );
  }

  #open([keys]: Contribution): PromiseOrValue<Group> {
    const key = encodeKey(keys);
    const open = this.#changed.get(key);
    if (open !== undefined) return open;
    const stored = this.#execution.context.transaction.get(this.#prefixes.group + key);
    return andThen(stored as PromiseOrValue<ArrayValue | undefined>, (found) => {
      const group: Group =
        found === undefined
          ? { keys, count: 0, totals: this.#columns.aggregates.map(({ aggregate }) => initialOf(aggregate)) }
          : { keys, count: found[0] as number, totals: found.slice(1) };
      this.#changed.set(key, group);
      return group;
    });
  }

  #add(contribution: Contribution, isKept: boolean): PromiseOrValue<void> {
    return andThen(this.#open(contribution), (group) => {
      group.count++;
      return this.#forEach(contribution, ({ aggregate }, value, at) => {
        const total = group.totals[at];
        if (aggregate.kind === 'extremum') {
          if (isKept) return this.#countValue(contribution, at, value, 1);
          group.totals[at] = better(aggregate, total, value);
        } else group.totals[at] = aggregate.add(total, value);
      });
    });
  }

  #remove(contribution: Contribution): PromiseOrValue<void> {
    return andThen(this.#open(contribution), (group) => {
      group.count--;
      return this.#forEach(contribution, ({ aggregate }, value, at) => {
        if (aggregate.kind === 'extremum') return this.#countValue(contribution, at, value, -1);
        group.totals[at] = aggregate.remove(group.totals[at], value);
      });
    });
  }

  #forEach(
    [, values]: Contribution,
    visit: (column: TotalColumn, value: Value, at: number) => PromiseOrValue<void>,
  ): PromiseOrValue<void> {
    return forEachInOrder(this.#columns.aggregates, (column, at) =>
      andThen(visit(column, values[at], at), () => undefined),
    );
  }

  /** Changes the number of occurrences of a value in the ordered values. */
  #countValue([keys]: Contribution, column: number, value: Value, by: 1 | -1): PromiseOrValue<void> {
    const { transaction } = this.#execution.context;
    const key = viewOrderPrefix(this.#prefixes.order, encodeKey(keys), column) + encodeKey(value);
    return andThen(transaction.get(key), (stored) => {
      const count = (stored === undefined ? 0 : ((stored as ArrayValue)[0] as number)) + by;
      if (count > 0) transaction.put(key, [count, value]);
      else transaction.delete(key);
    });
  }

  #write(key: string, group: Group): PromiseOrValue<void> {
    const { transaction } = this.#execution.context;
    const {
      services: { writer },
    } = this.#execution;
    const id = new RecordId(this.#view.name, group.keys);
    if (group.count === 0) {
      transaction.delete(this.#prefixes.group + key);
      return writer.put(this.#execution, id, undefined);
    }
    transaction.put(this.#prefixes.group + key, [group.count, ...group.totals]);
    return andThen(this.#scopeOf(key, group), (scope) => {
      const frame = new Frame(this.#execution, scope);
      const record = newObject();
      const written = forEachInOrder(this.#columns.fields, ({ path, evaluate }) =>
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
    const done = forEachInOrder(this.#columns.aggregates, ({ aggregate }, at) => {
      const total = totals[at];
      const result =
        aggregate.kind === 'total' ? aggregate.result(total, count) : this.#best(aggregate, key, at, total);
      return andThen(result, (value) => {
        scope.set(aggregateParam(at), value);
        return undefined;
      });
    });
    return andThen(done, () => scope);
  }

  #best(aggregate: Extremum, key: string, column: number, kept: Value): PromiseOrValue<Value> {
    const range = prefixRange(viewOrderPrefix(this.#prefixes.order, key, column));
    const cursor = this.#execution.context.transaction.scan(range, { reverse: aggregate.end === 'last', limit: 1 });
    let best = kept;
    const found = forEachBatch(cursor, (entries) => {
      for (const [, stored] of entries) best = better(aggregate, best, (stored as ArrayValue)[1]);
      return true;
    });
    return andThen(found, () => best);
  }
}

function initialOf(aggregate: TotalColumn['aggregate']): Value {
  return aggregate.kind === 'total' ? aggregate.initial : undefined;
}

function better({ end }: Extremum, best: Value, value: Value): Value {
  if (best === undefined) return value;
  return compare(value, best) < 0 === (end === 'first') ? value : best;
}
