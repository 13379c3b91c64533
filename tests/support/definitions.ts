/** Runs definitions on a store in memory, with no more of the executor than they need. */
import { andThen, type PromiseOrValue } from '../../src/base/promise-or-value.js';
import { CatalogCache, loadDatabase } from '../../src/catalog/definitions/load.js';
import type { DatabasePath, Principal } from '../../src/catalog/principal.js';
import { DEFINITION_COMPILERS } from '../../src/ddl/define/define.js';
import { compileRemove } from '../../src/ddl/define/remove.js';
import { compileInfo } from '../../src/ddl/info/info.js';
import { realEnvironment } from '../../src/env/real.js';
import { TesseraError } from '../../src/errors/error.js';
import type { Expression, Statement } from '../../src/language/ast.js';
import { constantValue } from '../../src/language/constant-value.js';
import { parseQuery } from '../../src/language/parse.js';
import type { Execution } from '../../src/runtime/execution.js';
import { type Compiler, type Evaluate, Frame } from '../../src/runtime/frame.js';
import { QueryTimeout } from '../../src/runtime/query-timeout.js';
import { RevocationFlag } from '../../src/runtime/revocation-flag.js';
import { Scope } from '../../src/runtime/scope.js';
import { DEFAULT_TUNING } from '../../src/runtime/tuning.js';
import { Variants } from '../../src/runtime/variants.js';
import { InMemorySessionRegistry } from '../../src/session/resources/session-registry.js';
import { LiveQueries } from '../../src/statements/live/live-queries.js';
import type { Transaction } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { isObject, type Value } from '../../src/value/value.js';

export const OWNER: Principal = { kind: 'system', level: 'root', name: 'root', roles: ['owner'] };

/** Knows constants and params. */
const compiler: Compiler = {
  tuning: DEFAULT_TUNING,
  expression(expression: Expression): Evaluate {
    if (expression.kind === 'param') return ({ scope }) => scope.get(expression.name);
    const constant = constantValue(expression);
    if (constant === undefined) throw new Error(`not in these tests: ${expression.kind}`);
    return () => constant.value;
  },
  statement(statement: Statement): Evaluate {
    if (statement.kind === 'remove') return compileRemove(statement, compiler);
    if (statement.kind === 'info') return compileInfo(statement, compiler);
    const row = DEFINITION_COMPILERS[statement.kind as keyof typeof DEFINITION_COMPILERS] as
      | ((statement: Statement, compiler: Compiler) => Evaluate)
      | undefined;
    if (row === undefined) throw new Error(`not in these tests: ${statement.kind}`);
    return row(statement, compiler);
  },
};

export interface RunOptions {
  readonly principal?: Principal;
  readonly databasePath?: DatabasePath;
  readonly variables?: Readonly<Record<string, Value>>;
}

export class Store {
  readonly engine = new MemoryEngine();
  readonly cache = new CatalogCache();

  /** Runs each statement in a transaction of its own; the last one's value. */
  async run(text: string, options: RunOptions = {}): Promise<Value> {
    let value: Value;
    for (const statement of parseQuery(text).statements) {
      const transaction = this.engine.begin({ writable: true });
      try {
        value = await this.runIn(transaction, statement, options);
        await transaction.commit();
      } finally {
        transaction.cancel();
      }
    }
    return value;
  }

  /** The text of the error that a statement fails with. */
  async failure(text: string, options: RunOptions = {}): Promise<string> {
    try {
      await this.run(text, options);
    } catch (error) {
      if (error instanceof TesseraError) return error.message;
      throw error;
    }
    return 'no failure';
  }

  /** What INFO shows under a name, as text. */
  async info(text: string, ...path: string[]): Promise<string> {
    let value = await this.run(text);
    for (const name of path) value = isObject(value) ? value[name] : undefined;
    return typeof value === 'string' ? value : toText(value);
  }

  runIn(transaction: Transaction, statement: Statement, options: RunOptions = {}): PromiseOrValue<Value> {
    const frame = new Frame(this.#execution(transaction, options), new Scope());
    for (const [name, value] of Object.entries(options.variables ?? {})) frame.scope.set(name, value);
    return andThen(compiler.statement(statement)(frame), (value) => value);
  }

  #execution(transaction: Transaction, { principal = OWNER, databasePath = PATH }: RunOptions): Execution {
    const { namespace, database } = databasePath;
    // Writers and the rest aren't reached by definitions.
    return {
      services: {
        environment: realEnvironment,
        passwords: { hash: async (_: string, password: string) => `$argon2id$${password.length}` },
        // There are no records.
        reader: { scan: () => undefined },
        liveQueries: new LiveQueries(realEnvironment.timers),
        sessions: new InMemorySessionRegistry(undefined),
        queryTimeout: new QueryTimeout(),
        revocationFlag: new RevocationFlag(),
        weakKeys: false,
        indexWorkQueued: () => {},
        // Analyzers without functions and files need nothing.
        analyzers: { prepare: () => undefined },
      },
      request: {},
      context: {
        transaction,
        catalog: () =>
          namespace === undefined || database === undefined
            ? undefined
            : loadDatabase(transaction, this.cache, namespace, database),
        catalogChanged: () => {},
        catalogs: this.cache,
      },
      identity: { principal, databasePath },
      checks: { view: false, edit: principal.kind !== 'system' },
      interrupt: { checkpoint: () => undefined },
      depth: 0,
      importing: false,
      judging: false,
      writable: true,
      variants: new Variants(),
    } as unknown as Execution;
  }
}

export const PATH: DatabasePath = { namespace: 'test', database: 'test' };
