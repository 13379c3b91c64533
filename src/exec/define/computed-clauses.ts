import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { ComputedClauses, DefineStatement, Durations } from '../../language/ast.js';
import { parseRecordId } from '../../language/parse.js';
import { cast } from '../../value/cast.js';
import { toDisplay } from '../../value/text/text.js';
import { Duration, type Value } from '../../value/value.js';
import type { Compiler, Evaluate, Frame } from '../execution.js';

type CompileDefinition<S extends DefineStatement> = (statement: S, compiler: Compiler) => Evaluate;

/** Compiles a definition so that its computed clauses are computed first. */
export function withComputedClauses<S extends DefineStatement>(compile: CompileDefinition<S>): CompileDefinition<S> {
  return (statement, compiler) => {
    const settle = compileComputedClauses(statement, compiler);
    if (settle === undefined) return compile(statement, compiler);
    return (frame) => andThen(settle(frame), (settled) => compile(settled, compiler)(frame));
  };
}

/** What puts computed clauses where fixed ones stand; nothing for a definition that has none, as most. */
export function compileComputedClauses<S extends DefineStatement>(
  statement: S,
  compiler: Compiler,
): ((frame: Frame) => PromiseOrValue<S>) | undefined {
  const { computedClauses, ...plain } = statement;
  if (computedClauses === undefined) return undefined;
  const evaluate = compileClauses(computedClauses, compiler);
  return (frame) =>
    andThen(evaluate(frame), ({ comment, durations }) => {
      const lifetimes = durations && { ...lifetimesOf(statement), ...durations };
      const settled = {
        ...plain,
        ...(comment !== undefined && { comment }),
        ...(lifetimes !== undefined && { durations: lifetimes }),
      };
      return settled as S;
    });
}

function lifetimesOf(statement: DefineStatement): Durations | undefined {
  return 'durations' in statement ? statement.durations : undefined;
}

interface Settled {
  comment?: string;
  durations?: { -readonly [K in keyof Durations]: Durations[K] };
}

function compileClauses(
  { comment, durations = {} }: ComputedClauses,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<Settled> {
  const commentOf = comment && compiler.expression(comment);
  const lifetimes = Object.entries(durations).map(
    ([kind, lifetime]) => [kind as keyof Durations, compiler.expression(lifetime)] as const,
  );
  return (frame) => {
    const settled: Settled = {};
    const text = andThen(commentOf?.(frame), (value) => {
      if (value !== undefined) settled.comment = toDisplay(value);
    });
    return andThen(text, () =>
      andThen(
        forEachInOrder(lifetimes, ([kind, evaluate]) =>
          andThen(evaluate(frame), (value) => {
            settled.durations ??= {};
            settled.durations[kind] = lifetimeOf(value);
            return false;
          }),
        ),
        () => settled,
      ),
    );
  };
}

/** In nanoseconds; NONE is without end. */
function lifetimeOf(value: Value): bigint | undefined {
  if (value === undefined) return undefined;
  const lifetime = cast(value, { kind: 'duration' }, parseRecordId);
  return lifetime instanceof Duration ? lifetime.nanoseconds : undefined;
}
