/**
 * Statements with their cached plans: one for each state of the definitions, and for each class of
 * principals.
 */
import { andThen, mapInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { Expression } from '../../language/ast.js';
import type { AccessHints } from '../../plan/access/facts.js';
import type { Binding, NamedRecordKind } from '../../plan/bind-sources.js';
import type { FieldsRead } from '../../plan/fields-read.js';
import { isNamedSource } from '../../plan/named-sources.js';
import type { Access, RowNode } from '../../plan/nodes.js';
import { chooseAccess, type ReaderRights } from '../../plan/rewrite.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { ReadPurpose } from '../../runtime/record-access.js';
import type { Prefetch } from '../../storage/contract.js';
import { Range, RecordId, Table, type Value } from '../../value/value.js';
import { compileTarget } from '../expression/targets.js';
import type { RecordReading } from '../operators/operator.js';
import { type Meter, UNMEASURED } from '../operators/stopwatch.js';
import type { FirstReads } from '../prefetch/first-reads.js';
import { compilePlanReads } from '../prefetch/plan-reads.js';

/** A kind of statement that is planned. */
export interface Planning<Tree> {
  /** The targets after FROM, UPDATE and the like. */
  readonly targets: readonly Expression[];
  readonly hints: AccessHints;
  readonly purpose: ReadPurpose;
  readonly fields: FieldsRead;
  readonly writes: boolean;
  /** `targets`: those of the statement, as tables where they name any. */
  bind(binding: Binding, targets: readonly Expression[]): Tree;
  /** With the statement's own deadline. */
  timed(run: Evaluate): Evaluate;
  /** The part of the tree that reads. */
  readerOf(tree: Tree): RowNode | undefined;
  compile(tree: Tree, meter: Meter, reading: RecordReading): Evaluate;
}

/** A plan with its compiled form. */
export class Plan<Tree> {
  #firstReads: FirstReads | undefined;

  constructor(
    readonly tree: Tree,
    readonly run: Evaluate,
    private readonly planning: Planning<Tree>,
    private readonly reading: RecordReading,
    private readonly compiler: Compiler,
  ) {}

  /** The same, measured. */
  measured(meter: Meter): Evaluate {
    return this.planning.timed(this.planning.compile(this.tree, meter, this.reading));
  }

  firstReads(frame: Frame, likely: DatabaseCatalog): PromiseOrValue<Prefetch> {
    const node = this.planning.readerOf(this.tree);
    if (node === undefined) return NOTHING;
    this.#firstReads ??= compilePlanReads(node, this.compiler);
    return this.#firstReads(frame, likely);
  }
}

const NOTHING: Prefetch = {};

/** The key of a cached plan. */
interface Key {
  /** Of the definitions; `undefined` where the plan doesn't depend on them. */
  readonly stamp: string | undefined;
  readonly isChecked: boolean;
  readonly named: Named;
}

/** What targets name that are params or the like, at their places; `undefined` if there is nothing. */
type Named = readonly (NamedTarget | undefined)[] | undefined;

type NamedTarget = { readonly kind: 'table'; readonly table: string } | { readonly kind: NamedRecordKind };

interface Entry<Tree> extends Key {
  /** The state that it was asked for last, where it holds for others as well. */
  stamp: string | undefined;
  /** Whether there was nothing to choose from: it holds for each state in which none of the tables has an index. */
  readonly isUnindexed: boolean;
  readonly plan: Plan<Tree>;
}

/** Maximum number of cached plans of a statement: classes of readers, and a few tables that a param names. */
const MAX_PLANS = 8;

export class Prepared<Tree> {
  readonly run: Evaluate;
  readonly #planning: Planning<Tree>;
  readonly #compiler: Compiler;
  readonly #rules: Binding['rules'];
  readonly #namesTable: boolean;
  /** The targets that are params or the like, at their places; `undefined` if there are none. */
  readonly #naming: readonly (Evaluate | undefined)[] | undefined;
  readonly #entries: Entry<Tree>[] = [];

  constructor(planning: Planning<Tree>, compiler: Compiler) {
    this.run = planning.timed(this.#runHere);
    this.#planning = planning;
    this.#compiler = compiler;
    this.#rules = compiler.tuning.rules;
    this.#namesTable = planning.targets.some(({ kind }) => kind === 'table');
    const naming = planning.targets.map((each) => (isNamedSource(each) ? compileTarget(each, compiler) : undefined));
    this.#naming = naming.some((evaluate) => evaluate !== undefined) ? naming : undefined;
  }

  readonly #runHere: Evaluate = (frame) => {
    if (frame.execution.context.answersLater) return this.#runPrefetched(frame);
    const plan = this.plan(frame);
    return plan instanceof Promise ? plan.then(({ run }) => run(frame)) : plan.run(frame);
  };

  /** The first reads are fetched together with the row that shows whether the definitions are still the same. */
  async #runPrefetched(frame: Frame): Promise<Value> {
    const { context } = frame.execution;
    const likely = context.likelyCatalog();
    if (likely !== undefined) {
      // A statement that can't be planned with the cached definitions may be with the current ones.
      const reads = await otherwise(
        () => this.firstReads(frame, likely),
        () => NOTHING,
      );
      await context.prefetch(reads);
    }
    const { run } = await this.plan(frame);
    return run(frame);
  }

  /** The first reads of a plan by a catalog, where they are known without running it. */
  firstReads(frame: Frame, likely: DatabaseCatalog): PromiseOrValue<Prefetch> {
    return andThen(this.#planFor(frame, likely), (plan) => plan.firstReads(frame, likely));
  }

  /** The plan for the current definitions and principal. */
  plan(frame: Frame): PromiseOrValue<Plan<Tree>> {
    return this.#planFor(frame, undefined);
  }

  /** The same for a catalog; without one for that of the transaction. */
  #planFor(frame: Frame, likely: DatabaseCatalog | undefined): PromiseOrValue<Plan<Tree>> {
    const { execution } = frame;
    const naming = this.#naming;
    if (naming === undefined) return this.#ofNamed(execution, likely, undefined);
    const [only] = naming;
    const named =
      naming.length === 1 && only !== undefined
        ? andThen(only(frame), namedBy)
        : andThen(
            mapInOrder(naming, (evaluate) => evaluate?.(frame)),
            (values) => values.map(namedTarget),
          );
    return named instanceof Promise
      ? named.then((found) => this.#ofNamed(execution, likely, found))
      : this.#ofNamed(execution, likely, named);
  }

  #ofNamed(execution: Execution, likely: DatabaseCatalog | undefined, named: Named): PromiseOrValue<Plan<Tree>> {
    if (!this.#namesTable && !named?.some((target) => target?.kind === 'table')) {
      return this.#of(execution, undefined, named);
    }
    if (likely !== undefined) return this.#of(execution, likely, named);
    return andThen(execution.context.catalog(), (catalog) => this.#of(execution, catalog, named));
  }

  #of(execution: Execution, catalog: DatabaseCatalog | undefined, named: Named): Plan<Tree> {
    const stamp = catalog?.stamp;
    const isChecked = execution.checks.view;
    for (const entry of this.#entries) {
      if (entry.stamp === stamp && entry.isChecked === isChecked && areSame(entry.named, named)) return entry.plan;
    }
    const targets = this.#planning.targets.map((target, at): Expression => {
      const name = named?.[at];
      return name?.kind === 'table' ? { kind: 'table', name: name.table } : target;
    });
    const isUnindexed = !isChecked && catalog !== undefined && areUnindexed(catalog, targets);
    if (isUnindexed) {
      for (const entry of this.#entries) {
        if (!entry.isUnindexed || !areSame(entry.named, named)) continue;
        entry.stamp = stamp;
        return entry.plan;
      }
    }
    const [only, ...others] = named ?? [];
    const target = others.length === 0 && only?.kind !== 'table' ? only?.kind : undefined;
    const plan = this.#make({ catalog, reader: readerOf(execution), rules: this.#rules, target }, targets);
    // The oldest goes, which mostly was made for definitions of before.
    if (this.#entries.length === MAX_PLANS) this.#entries.shift();
    this.#entries.push({ stamp, isChecked, named, isUnindexed, plan });
    return plan;
  }

  #make(binding: Binding, targets: readonly Expression[]): Plan<Tree> {
    const planning = this.#planning;
    const { purpose, fields, writes } = planning;
    const tree = planning.bind(binding, targets);
    const reading: RecordReading = {
      purpose,
      fields,
      writes,
      access: (execution, entry) => this.#access(execution, entry),
    };
    return new Plan(tree, planning.compile(tree, UNMEASURED, reading), planning, reading, this.#compiler);
  }

  /** How a table is read that turned up while the statement ran. */
  #access(execution: Execution, entry: TableEntry): Access {
    const { hints, purpose } = this.#planning;
    return chooseAccess(entry, hints, readerOf(execution), purpose === 'select', this.#rules);
  }
}

/**
 * Whether none of the tables that are named has an index, so that a plan for those whom no PERMISSIONS bind knows
 * nothing of the definitions.
 */
function areUnindexed({ tables }: DatabaseCatalog, targets: readonly Expression[]): boolean {
  return targets.every((each) => each.kind !== 'table' || tables.get(each.name)?.answering.length === 0);
}

const RECORD: readonly [NamedTarget] = [{ kind: 'record' }];
const RANGE: readonly [NamedTarget] = [{ kind: 'range' }];

/** What the only target names. */
function namedBy(value: Value): Named {
  if (value instanceof Table) return [{ kind: 'table', table: value.name }];
  if (!(value instanceof RecordId)) return undefined;
  return value.key instanceof Range ? RANGE : RECORD;
}

function namedTarget(value: Value): NamedTarget | undefined {
  return namedBy(value)?.[0];
}

function readerOf({ services: { reader }, checks }: Execution): ReaderRights {
  return { isChecked: checks.view, mayHide: (entry, { parts }) => reader.mayHide(entry, parts) };
}

function areSame(a: Named, b: Named): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  return a.every((each, at) => isSame(each, b[at]));
}

function isSame(a: NamedTarget | undefined, b: NamedTarget | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  return a.kind === b.kind && (a.kind !== 'table' || (b.kind === 'table' && a.table === b.table));
}
