/** The operator of GROUP BY and GROUP ALL, with the groups that it fills. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { mapItems } from '../../../base/work/loops.js';
import { sortItems } from '../../../base/work/sort.js';
import type { Group, Projections } from '../../../language/ast.js';
import type { Aggregate } from '../../../plan/nodes.js';
import { expressionsOf } from '../../../plan/projections.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { rowFrames } from '../../../runtime/row-frames.js';
import { encodeOrder } from '../../../value/codecs/key-codec.js';
import { type MutableObject, newObject, type Value } from '../../../value/value.js';
import { weightOf } from '../../../value/weight.js';
import type { List, OperatorContext } from '../operator.js';
import { writeAt } from '../rows/projections.js';
import {
  compileColumns,
  compileKey,
  type GroupedColumn,
  type GroupedColumnState,
  type GroupKey,
} from './grouped-columns.js';

/** GROUP BY and GROUP ALL: one row for each group, in the order of the keys. */
export function compileAggregate({ group, projections, input: below }: Aggregate, context: OperatorContext): List {
  const input = context.stream(below);
  const { begin } = compileGroup(group, projections, context.compiler);
  return (frame, { targets }) => {
    const groups = begin(frame);
    return andThen(
      input(frame, { targets }, (batch) => andThen(groups.add(batch), () => false)),
      () => groups.finish(),
    );
  };
}

// GROUP BY and GROUP ALL. Each projection is a key of the group, an expression over aggregate functions (`count()`,
// `math::sum(x) / 2`), or anything else, which then gives the list of its values in the group.
//
// Aggregates accumulate row by row: a group never keeps its rows.

/**
 * A trie of the keys of groups. Values that are equal in the total order, such as `1` and
 * `1f`, lead to one node.
 */
class GroupNode<Group> {
  /** The group here, at the last key. */
  group: Group | undefined;
  /** Children by encoded values. The leaves, which may be many, have no such maps. */
  #byOrder: Map<string, GroupNode<Group>> | undefined;
  /** Children by primitive values, which needn't be encoded. */
  #byValue: Map<Value, GroupNode<Group>> | undefined;

  /** `order`: the encoded values on the path. */
  constructor(readonly order: string) {}

  at(value: Value): GroupNode<Group> {
    return this.#byValue?.get(value) ?? this.#find(value);
  }

  #find(value: Value): GroupNode<Group> {
    const order = this.order + encodeOrder(value);
    this.#byOrder ??= new Map();
    let node = this.#byOrder.get(order);
    if (node === undefined) {
      node = new GroupNode(order);
      this.#byOrder.set(order, node);
    }
    if (typeof value !== 'object') {
      this.#byValue ??= new Map();
      this.#byValue.set(value, node);
    }
    return node;
  }
}

/** The groups of one run. */
interface Grouping {
  add(rows: readonly Value[]): PromiseOrValue<void>;
  /** One row for each group, in the order of the keys. */
  finish(): PromiseOrValue<Value[]>;
}

interface CompiledGroup {
  begin(frame: Frame): Grouping;
}

/** Compiles GROUP BY or GROUP ALL with the aggregates of the projections: hash aggregation. */
function compileGroup(group: Group, projections: Projections, compiler: Compiler): CompiledGroup {
  const keys = group.kind === 'all' ? [] : group.paths.map((path) => compileKey(path, projections, compiler));
  const columns = compileColumns(projections, keys, compiler);
  const single = projections.kind === 'value';
  const frames = rowFrames([...expressionsOf(projections), ...keys.map(({ expression }) => expression)]);
  return { begin: (frame) => new Groups(frame, frames(frame), keys, columns, single, group.kind === 'all') };
}

interface OneGroup {
  readonly values: readonly Value[];
  readonly columns: readonly GroupedColumnState[];
  /** Rows that haven't been passed to the columns yet. */
  waiting: Value[];
}

const nothing = (): undefined => undefined;

/** Overhead of a group and of each of its columns in bytes. */
const GROUP = 256;
const COLUMN = 64;

class Groups implements Grouping {
  readonly #root = new GroupNode<OneGroup>('');
  readonly #groups: GroupNode<OneGroup>[] = [];
  /** The values of the keys of the row that is added. */
  readonly #values: Value[];
  readonly #keeps: boolean;

  constructor(
    private readonly frame: Frame,
    private readonly frameOf: (row: Value) => Frame,
    private readonly keys: readonly GroupKey[],
    private readonly columns: readonly GroupedColumn[],
    private readonly single: boolean,
    all: boolean,
  ) {
    this.#values = new Array<Value>(keys.length).fill(undefined);
    this.#keeps = columns.some(({ keeps }) => keeps);
    if (all) this.#groupAt(this.#root);
  }

  /** Each row finds its group; then the columns of each group are given its rows together. */
  add(rows: readonly Value[]): PromiseOrValue<void> {
    const {
      request: { memory },
    } = this.frame.execution;
    const mark = memory.used;
    const before = this.#groups.length;
    return andThen(this.#sort(rows), () => {
      // If groups keep values, these may have been charged meanwhile.
      if (!this.#keeps) memory.releaseTo(mark);
      if (this.#groups.length > before) memory.charge(this.#weightFrom(before));
    });
  }

  /** The memory of the groups behind `before`, estimated by the keys of the last one. */
  #weightFrom(before: number): number {
    const last = this.#groups.at(-1)?.group?.values;
    const each = GROUP + COLUMN * this.columns.length + weightOf(...(last ?? []));
    return each * (this.#groups.length - before);
  }

  #sort(rows: readonly Value[]): PromiseOrValue<void> {
    if (this.keys.length === 0) return this.#addTo(this.#groupAt(this.#root).columns, rows);
    const met: OneGroup[] = [];
    const sorted = forEachInOrder(rows, (row) => this.#await(row, 0, this.#root, met));
    return andThen(sorted, () =>
      forEachInOrder(met, (group) => {
        const { waiting } = group;
        group.waiting = [];
        return andThen(this.#addTo(group.columns, waiting), nothing);
      }),
    );
  }

  /** Buffers a row in its group, descending the trie from the node of the keys before `from`. */
  #await(row: Value, from: number, node: GroupNode<OneGroup>, met: OneGroup[]): PromiseOrValue<undefined> {
    let reached = node;
    for (let at = from; at < this.keys.length; at++) {
      const value = (this.keys[at] as GroupKey).evaluateRow(row, this.frameOf);
      if (value instanceof Promise) {
        const before = reached;
        return value.then((settled) => this.#await(row, at + 1, this.#down(before, at, settled), met));
      }
      reached = this.#down(reached, at, value);
    }
    const group = this.#groupAt(reached);
    if (group.waiting.length === 0) met.push(group);
    group.waiting.push(row);
    return undefined;
  }

  #down(node: GroupNode<OneGroup>, at: number, value: Value): GroupNode<OneGroup> {
    this.#values[at] = value;
    return node.at(value);
  }

  #groupAt(node: GroupNode<OneGroup>): OneGroup {
    if (node.group === undefined) {
      node.group = this.#begin(this.#values.slice());
      this.#groups.push(node);
    }
    return node.group;
  }

  #addTo(columns: readonly GroupedColumnState[], rows: readonly Value[]): PromiseOrValue<void> {
    return forEachInOrder(columns, (column) => andThen(column.add(rows, this.frameOf), nothing));
  }

  finish(): PromiseOrValue<Value[]> {
    // Byte order of the encoded keys is the order of the values.
    const { execution } = this.frame;
    return andThen(
      sortItems(this.#groups, execution.interrupt, (a, b) => (a.order < b.order ? -1 : 1)),
      (ordered) => mapItems(ordered, execution.interrupt, ({ group }) => this.#finishOne(group as OneGroup)),
    );
  }

  #begin(values: readonly Value[]): OneGroup {
    return { values, columns: this.columns.map((column) => column.begin(this.frame)), waiting: [] };
  }

  #finishOne(group: OneGroup): PromiseOrValue<Value> {
    const document: MutableObject = newObject();
    this.keys.forEach((key, at) => {
      writeAt(document, key.path, group.values[at]);
    });
    const inner = this.frame.within(document);
    return andThen(
      mapInOrder(group.columns, (column) => column.finish(inner)),
      (values): Value => {
        if (this.single) return values[0];
        const result = newObject();
        this.columns.forEach((column, at) => {
          writeAt(result, column.path, values[at]);
        });
        return result;
      },
    );
  }
}
