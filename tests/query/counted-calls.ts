import { andThen } from '../../src/base/promise-or-value.js';
import type { BeginOptions, Engine, Transaction } from '../../src/storage/contract.js';
import { wrapped } from './wrapped.js';

/** How often transactions were asked, by the method. */
export type Calls = Partial<Record<keyof Transaction, number>>;

const COUNTED: ReadonlySet<string> = new Set<keyof Transaction>(['get', 'getMany', 'scan']);

/** The same engine, of which the calls of transactions that read are counted. */
export function counting(engine: Engine, calls: Calls): Engine {
  return wrapped(engine, (name) => {
    if (name !== 'begin') return undefined;
    return (options: BeginOptions) =>
      andThen(engine.begin(options), (transaction) =>
        wrapped(transaction, (method, own) => {
          if (typeof own !== 'function' || !COUNTED.has(String(method))) return undefined;
          return (...args: unknown[]) => {
            calls[method as keyof Transaction] = (calls[method as keyof Transaction] ?? 0) + 1;
            return own.apply(transaction, args);
          };
        }),
      );
  });
}
