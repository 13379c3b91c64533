import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { generateSecret } from '../../catalog/credentials/secret.js';
import { putAtLevel } from '../../catalog/ddl/define.js';
import type { SequenceDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import type { DefineSequence, Expression } from '../../language/ast.js';
import { parseRecordId } from '../../language/parse.js';
import { ensureSelectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { cast } from '../../value/cast.js';
import { toText } from '../../value/text/text.js';
import type { Type } from '../../value/type.js';
import type { Value } from '../../value/value.js';
import { beginDefinition, compileName, finish, settled, shouldDefine } from './definition.js';

const INT: Type = { kind: 'int' };
const DURATION: Type = { kind: 'duration' };
const MAX_BATCH = 0xffff_ffff;
const IDENTITY_LENGTH = 16;

/** Defines a sequence. An overwritten one continues from its current number. */
export function compileDefineSequence(statement: DefineSequence, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'sequence name', compiler);
  const clausesOf = compileSequenceClauses(statement, compiler);
  return (frame) => {
    const { execution } = frame;
    const { databasePath, change } = beginDefinition(execution, 'database', 'own', 'Sequence');
    return andThen(nameOf(frame), (name) =>
      andThen(ensureSelectedDatabase(execution), (catalog): PromiseOrValue<undefined> => {
        const existing = catalog.sequences.get(name);
        if (!shouldDefine(statement.mode, existing !== undefined, () => failure('sequence_exists', { name }))) return;
        return andThen(clausesOf(frame), (clauses) => {
          const { timeout: _, ...plain } = statement;
          const identity = existing?.identity ?? generateSecret(execution.services.environment.random, IDENTITY_LENGTH);
          const sequence: SequenceDefinition = { ...settled(plain, { name, identity }), ...clauses };
          return andThen(putAtLevel(change, databasePath, sequence), () => finish(execution));
        });
      }),
    );
  };
}

type Clauses = Pick<SequenceDefinition, 'batch' | 'start' | 'timeout'>;

function compileSequenceClauses(
  { batch, start, timeout }: DefineSequence,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<Clauses> {
  const evaluate = [compileClause(batch, INT, compiler), compileClause(start, INT, compiler)];
  const timeoutOf = compileSequenceTimeout(timeout, compiler);
  return (frame) =>
    andThen(
      mapInOrder(evaluate, (clause) => clause(frame)),
      ([size, first]) => {
        if (typeof size !== 'number' || size < 0 || size > MAX_BATCH) {
          throw failure('sequence_batch', { batch: toText(size) });
        }
        return andThen(timeoutOf(frame), (clause) => ({ batch: literal(size), start: literal(first), ...clause }));
      },
    );
}

/** The compiled TIMEOUT of a sequence, with its value in place of the expression; without one for NONE. */
export function compileSequenceTimeout(
  timeout: Expression | undefined,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<Pick<SequenceDefinition, 'timeout'>> {
  if (timeout === undefined) return () => ({});
  const evaluate = compileClause(timeout, DURATION, compiler);
  return (frame) => andThen(evaluate(frame), (value) => (value === undefined ? {} : { timeout: literal(value) }));
}

function compileClause(clause: Expression, type: Type, compiler: Compiler): Evaluate {
  const evaluate = compiler.expression(clause);
  return (frame) =>
    andThen(evaluate(frame), (value) =>
      value === undefined && type === DURATION ? value : cast(value, type, parseRecordId),
    );
}

function literal(value: Value): Expression {
  return { kind: 'literal', value };
}
