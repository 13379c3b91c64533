/** Clauses of definitions that may be expressions (COMMENT, DURATION, keys): computed first, and stored as values. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { jwtOf, withJwt } from '../../catalog/credentials/signing-key.js';
import { failure } from '../../errors/error.js';
import type {
  AccessKind,
  ComputedClauses,
  ComputedJwt,
  DefineStatement,
  Durations,
  JwtAccess,
} from '../../language/ast.js';
import { parseRecordId } from '../../language/parse.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { cast } from '../../value/cast.js';
import { toDisplay, toText } from '../../value/text/text.js';
import { Duration, type Value } from '../../value/value.js';

type CompileDefinition<S extends DefineStatement> = (statement: S, compiler: Compiler) => Evaluate;

/** Compiles a definition so that its computed clauses are computed first. */
export function withComputedClauses<S extends DefineStatement>(compile: CompileDefinition<S>): CompileDefinition<S> {
  return (statement, compiler) => {
    const settle = compileComputedClauses(statement, compiler);
    if (settle === undefined) return compile(statement, compiler);
    return async (frame) => {
      const settled = await settle(frame);
      return compile(settled, compiler)(frame);
    };
  };
}

/**
 * The function that replaces clauses by their evaluated values; `undefined` for a definition without such clauses, as
 * most.
 */
export function compileComputedClauses<S extends DefineStatement>(
  statement: S,
  compiler: Compiler,
): ((frame: Frame) => PromiseOrValue<S>) | undefined {
  const { computedClauses, ...plain } = statement;
  if (computedClauses === undefined) return undefined;
  const evaluate = compileClauses(computedClauses, compiler);
  return async (frame) => {
    const { comment, durations, jwt } = await evaluate(frame);
    const lifetimes = durations && { ...lifetimesOf(statement), ...durations };
    const settled = {
      ...plain,
      ...(comment !== undefined && { comment }),
      ...(lifetimes !== undefined && { durations: lifetimes }),
      ...(statement.kind === 'define-access' && jwt && { accessKind: withKeys(statement.accessKind, jwt) }),
    };
    return settled as S;
  };
}

function lifetimesOf(statement: DefineStatement): Durations | undefined {
  return 'durations' in statement ? statement.durations : undefined;
}

/** The evaluated keys, in place of the expressions. */
function withKeys(accessKind: AccessKind, { key, url, issuerKey }: Keys): AccessKind {
  const given = jwtOf(accessKind);
  if (given === undefined) return accessKind;
  const { verify, issuer, ...rest } = given;
  const verifying =
    verify.kind === 'key' ? { ...verify, key: key ?? verify.key } : { ...verify, url: url ?? verify.url };
  const issuing = issuerKey === undefined ? issuer : { ...issuer, key: issuerKey };
  const jwt: JwtAccess = { verify: verifying, ...rest, ...(issuing !== undefined && { issuer: issuing }) };
  return withJwt(accessKind, jwt);
}

type Keys = { -readonly [K in keyof ComputedJwt]?: string };

interface Settled {
  comment?: string;
  jwt?: Keys;
  durations?: { -readonly [K in keyof Durations]: Durations[K] };
}

function compileClauses(
  { comment, durations = {}, jwt = {} }: ComputedClauses,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<Settled> {
  const commentOf = comment && compiler.expression(comment);
  const lifetimes = Object.entries(durations).map(
    ([kind, lifetime]) => [kind as keyof Durations, compiler.expression(lifetime)] as const,
  );
  const keys = Object.entries(jwt).map(([name, key]) => [name as keyof ComputedJwt, compiler.expression(key)] as const);
  return async (frame) => {
    const settled: Settled = {};
    const described = await commentOf?.(frame);
    if (described !== undefined) settled.comment = toDisplay(described);
    for (const [kind, evaluate] of lifetimes) {
      const value = await evaluate(frame);
      settled.durations ??= {};
      settled.durations[kind] = lifetimeOf(value);
    }
    for (const [name, evaluate] of keys) {
      const value = await evaluate(frame);
      settled.jwt ??= {};
      settled.jwt[name] = keyText(name, value);
    }
    return settled;
  };
}

/** The peer accepts anything as a URL, and only a string as a key. */
function keyText(name: keyof ComputedJwt, value: Value): string {
  if (name === 'url') return toDisplay(value);
  if (typeof value !== 'string') throw failure('name_not_string', { what: 'string', value: toText(value) });
  return value;
}

/** In nanoseconds; NONE means unlimited. */
function lifetimeOf(value: Value): bigint | undefined {
  if (value === undefined) return undefined;
  const lifetime = cast(value, { kind: 'duration' }, parseRecordId);
  return lifetime instanceof Duration ? lifetime.nanoseconds : undefined;
}
