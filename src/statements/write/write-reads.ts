/**
 * The reads of a statement that writes, for the records that it names and the values that they will claim: known before
 * it runs.
 */
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { TesseraError } from '../../errors/error.js';
import type { Create, Delete, Expression, Statement, Update, Upsert } from '../../language/ast.js';
import { transform } from '../../language/visitor.js';
import { paramOfId } from '../../plan/dependencies.js';
import { compileTargets } from '../../query/expression/targets.js';
import type { FirstReads } from '../../query/prefetch/first-reads.js';
import { isPlainExpression, speculate } from '../../query/prefetch/speculate.js';
import { hasClaims, prefetchOf } from '../../records/prefetch.js';
import type { Compiler } from '../../runtime/frame.js';
import type { Prefetch } from '../../storage/contract.js';
import { compileData } from './data.js';
import { recordTargets } from './finder.js';

type Writing = Create | Update | Upsert | Delete;

/** `undefined` where that isn't known without doing something else. */
export function readsOfWrite(statement: Statement, compiler: Compiler): FirstReads | undefined {
  if (
    !isWriting(statement) ||
    !statement.targets.every((target) => target.kind === 'table' || isPlainExpression(target))
  ) {
    return undefined;
  }
  const guessed = transform(statement, guessUser);
  const targets = compileTargets({ targets: guessed.targets, only: false }, compiler);
  const data = guessed.kind === 'delete' ? undefined : compileData(guessed.data, compiler);
  return (frame, likely) =>
    withoutErrors(() =>
      andThen(targets(frame), (found) => {
        const records = recordTargets(found);
        // Results for records that are yet to be found, or to get an id, are known later.
        const tables = new Set(records.map(({ table }) => table).filter((table) => hasClaims(likely, table)));
        const made =
          tables.size > 0 && data?.isSpeculable
            ? speculate(frame.execution, data.draft(frame.within(undefined)), undefined)
            : undefined;
        const claims = made === undefined ? [] : [...tables].map((table) => ({ table, record: made }));
        return prefetchOf(likely, { records, claims, nodes: guessed.kind === 'delete' ? records : [] });
      }),
    );
}

function isWriting(statement: Statement): statement is Writing {
  const { kind } = statement;
  return kind === 'create' || kind === 'update' || kind === 'upsert' || kind === 'delete';
}

/** `$auth.id` is `$auth`, if that record is there. */
function guessUser(node: Expression): Expression | undefined {
  const param = paramOfId(node);
  return param?.name === 'auth' ? param : undefined;
}

/** Errors occur again when the statement runs. */
function withoutErrors(work: () => PromiseOrValue<Prefetch>): PromiseOrValue<Prefetch> {
  return otherwise(work, (error) => {
    if (error instanceof TesseraError) return {};
    throw error;
  });
}
