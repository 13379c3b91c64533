/** DEFINE SEQUENCE, whose clauses are computed once, by its definition. */
import { mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
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
  return async (frame) => {
    const { execution } = frame;
    const { databasePath, change } = beginDefinition(execution, 'database', 'own', 'Sequence');
    const name = await nameOf(frame);
    const catalog = await ensureSelectedDatabase(execution);
    const existing = catalog.sequences.get(name);
    if (!shouldDefine(statement.mode, existing !== undefined, () => failure('sequence_exists', { name }))) return;
    const clauses = await clausesOf(frame);
    const { timeout: _, ...plain } = statement;
    const identity = existing?.identity ?? generateSecret(execution.services.environment.random, IDENTITY_LENGTH);
    const sequence: SequenceDefinition = { ...settled(plain, { name, identity }), ...clauses };
    await putAtLevel(change, databasePath, sequence);
    return finish(execution);
  };
}

type Clauses = Pick<SequenceDefinition, 'batch' | 'start' | 'timeout'>;

function compileSequenceClauses(
  { batch, start, timeout }: DefineSequence,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<Clauses> {
  const evaluate = [compileClause(batch, INT, compiler), compileClause(start, INT, compiler)];
  const timeoutOf = compileSequenceTimeout(timeout, compiler);
  return async (frame) => {
    const [size, first] = await mapInOrder(evaluate, (clause) => clause(frame));
    if (typeof size !== 'number' || size < 0 || size > MAX_BATCH) {
      throw failure('sequence_batch', { batch: toText(size) });
    }
    const clause = await timeoutOf(frame);
    return { batch: literal(size), start: literal(first), ...clause };
  };
}

/** The compiled TIMEOUT of a sequence, with its value in place of the expression; without one for NONE. */
export function compileSequenceTimeout(
  timeout: Expression | undefined,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<Pick<SequenceDefinition, 'timeout'>> {
  if (timeout === undefined) return () => ({});
  const evaluate = compileClause(timeout, DURATION, compiler);
  return async (frame) => {
    const value = await evaluate(frame);
    return value === undefined ? {} : { timeout: literal(value) };
  };
}

function compileClause(clause: Expression, type: Type, compiler: Compiler): Evaluate {
  const evaluate = compiler.expression(clause);
  return async (frame) => {
    const value = await evaluate(frame);
    return value === undefined && type === DURATION ? value : cast(value, type, parseRecordId);
  };
}

function literal(value: Value): Expression {
  return { kind: 'literal', value };
}
