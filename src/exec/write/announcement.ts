/** What a statement that writes reads of the records that it names, and of the values that they will claim: known before it runs. */
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { TesseraError } from '../../errors/error.js';
import type { Create, Delete, Expression, Statement, Update, Upsert } from '../../language/ast.js';
import { transform } from '../../language/visitor.js';
import { paramOfId } from '../../plan/dependencies.js';
import type { Announced } from '../../storage/contract.js';
import type { Compiler } from '../execution.js';
import type { Announcement } from '../prepared.js';
import { announcedBy, hasClaims } from '../record/prefetch.js';
import { compileTargets } from '../targets.js';
import { compileData } from './data.js';
import { recordsOf } from './finder.js';
import { foresee, isPlain } from './foresee.js';

type Writing = Create | Update | Upsert | Delete;

/** `undefined` where that isn't known without doing something else. */
export function announcementOfWrite(statement: Statement, compiler: Compiler): Announcement | undefined {
  if (!isWriting(statement) || !statement.targets.every((target) => target.kind === 'table' || isPlain(target))) {
    return undefined;
  }
  const guessed = transform(statement, guessUser);
  const targets = compileTargets({ targets: guessed.targets, only: false }, compiler);
  const data = guessed.kind === 'delete' ? undefined : compileData(guessed.data, compiler);
  return (frame, likely) =>
    withoutErrors(() =>
      andThen(targets(frame), (found) => {
        const records = recordsOf(found);
        // What is made of records that are yet to be found, or to get an id, is known later.
        const tables = new Set(records.map(({ table }) => table).filter((table) => hasClaims(likely, table)));
        const made =
          tables.size > 0 && data?.isForeseeable
            ? foresee(frame.execution, data.draft(frame.within(undefined)), undefined)
            : undefined;
        const claims = made === undefined ? [] : [...tables].map((table) => ({ table, record: made }));
        return announcedBy(likely, { records, claims, nodes: guessed.kind === 'delete' ? records : [] });
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

/** What fails does so again when the statement runs. */
function withoutErrors(work: () => PromiseOrValue<Announced>): PromiseOrValue<Announced> {
  return otherwise(work, (error) => {
    if (error instanceof TesseraError) return {};
    throw error;
  });
}
