/**
 * What a running statement knows: its transaction, who runs it and where, and when to stop. It is handed down as an argument; nothing
 * is ambient.
 */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/database-catalog.js';
import type { Place, Principal } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import type { FunctionContext } from '../functions/contract.js';
import type { Expression, Statement } from '../language/ast.js';
import type { Transaction } from '../storage/contract.js';
import type { ObjectValue, RecordId, Value } from '../value/value.js';

/** Who sent the request and what is selected. One for each session; immutable, replaced when it changes. */
export interface Identity {
  readonly principal: Principal;
  readonly place: Place;
  /** `$session`, `$token`, `$auth` and `$access`, as statements see them. */
  readonly session: ObjectValue;
  readonly token: Value;
  readonly auth: RecordId | undefined;
  readonly access: string | undefined;
}

/** Whether PERMISSIONS apply: not where a role grants the action, nor inside permission clauses and events. */
export interface Checks {
  /** To reading records. */
  readonly view: boolean;
  /** To writing them. */
  readonly edit: boolean;
}

/** Looks after time, cancellation and fairness. */
export interface Interrupt {
  /**
   * To be called for each batch of work. Throws when the deadline has passed or the request was cancelled; gives a promise, to be waited
   * for, when other clients should have a turn.
   */
  checkpoint(): PromiseOrValue<void>;
}

/** A transaction under way with the catalog as it stands in it. */
export interface Unit {
  readonly transaction: Transaction;
  /** The catalog of the selected database; `undefined` when it (or its namespace) doesn't exist or none is selected. */
  catalog(): PromiseOrValue<DatabaseCatalog | undefined>;
  /** To be called after each change of a definition. */
  catalogChanged(): void;
}

export interface Execution {
  readonly environment: Environment;
  readonly unit: Unit;
  readonly identity: Identity;
  readonly checks: Checks;
  readonly interrupt: Interrupt;
  readonly functions: FunctionContext;
  readonly reader: RecordReader;
  /** How deep calls, subqueries, events and computed fields are nested; bounded. */
  readonly depth: number;
  /** OPTION IMPORT is on: no events, no field processing. */
  readonly importing: boolean;
}

/** All reads of records go through this one door; rows and fields that are hidden don't come out of it. */
export interface RecordReader {
  /** The record as the principal may see it, with computed fields; NONE when it doesn't exist or is hidden. */
  read(execution: Execution, id: RecordId): PromiseOrValue<ObjectValue | undefined>;
  /** The records of a range of keys, or of a whole table, batch by batch; `true` from `visit` ends the scan. */
  scan(execution: Execution, scan: RecordScan, visit: BatchVisitor): PromiseOrValue<void>;
  /** The edges at a record: ids of the edge records, in key order. */
  edges(execution: Execution, id: RecordId, step: EdgeStep): PromiseOrValue<RecordId[]>;
}

export type BatchVisitor = (batch: ObjectValue[]) => PromiseOrValue<boolean | undefined>;

export interface RecordScan {
  readonly table: string;
  /** A record id with a range as key. */
  readonly range?: RecordId;
  readonly reverse?: boolean;
  /** At most this many records after the permissions have been applied. */
  readonly limit?: number;
}

export interface EdgeStep {
  readonly direction: 'out' | 'in' | 'both' | 'reference';
  /** Empty: every table. */
  readonly tables: readonly string[];
}

/** A compiled expression or statement. */
export type Evaluate = (frame: Frame) => PromiseOrValue<Value>;

/** Turns trees into closures. A tree is compiled once; nothing of the catalog, the session or the data is baked in. */
export interface Compiler {
  expression(expression: Expression): Evaluate;
  statement(statement: Statement): Evaluate;
}

/** Variables by name; a block opens a new scope in which LET hides the outer ones. */
export class Scope {
  #own: Map<string, Value> | undefined;
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  get(name: string): Value {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer) {
      const own = scope.#own;
      if (own?.has(name)) return own.get(name);
    }
    return undefined;
  }

  set(name: string, value: Value): void {
    this.#own ??= new Map();
    this.#own.set(name, value);
  }
}

/** Where an expression is evaluated: the current document (`$this`), the one around it (`$parent`), and the variables. */
export class Frame {
  constructor(
    readonly execution: Execution,
    readonly scope: Scope,
    readonly current: Value = undefined,
    readonly parent: Frame | undefined = undefined,
  ) {}

  /** The same place with another current document; the present one becomes `$parent`. */
  within(current: Value): Frame {
    return new Frame(this.execution, this.scope, current, this);
  }

  /** The same document with a new scope for variables. */
  block(): Frame {
    return new Frame(this.execution, new Scope(this.scope), this.current, this.parent);
  }
}
