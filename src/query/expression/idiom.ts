/** Paths: each part is joined with what comes after it, from the last part to the first. */
import { andThen } from '../../base/promise-or-value.js';
import type { Idiom, Part } from '../../language/ast.js';
import type { Evaluate } from '../../runtime/frame.js';
import { invokeStep } from './call.js';
import { destructureStep } from './destructure.js';
import { ALL, compileDocumentField, FLATTEN, fieldStep, optionalField } from './field.js';
import { type ChainPart, chainStep } from './graph.js';
import { indexStep, LAST, whereStep } from './index-step.js';
import type { InlineCompiler } from './inline-compiler.js';
import { methodStep } from './method.js';
import { REPEAT, recursionStep, splitRecursion } from './recursion.js';
import { joined, NO_PATH, type PartStep, type Path } from './step.js';

type PartCompiler<P extends Part> = (part: P, compiler: InlineCompiler) => PartStep;
/** Parts that are joined with the rest of the path in special ways. */
type JoinedOtherwise = 'optional' | 'graph';

const PARTS: { readonly [K in Exclude<Part['kind'], JoinedOtherwise>]: PartCompiler<Extract<Part, { kind: K }>> } = {
  field: ({ name }) => fieldStep(name),
  index: ({ index }, compiler) => indexStep(index, compiler),
  last: () => LAST,
  all: () => ALL,
  where: ({ condition }, compiler) => whereStep(condition, compiler),
  destructure: ({ fields }, compiler) => destructureStep(fields, compiler),
  method: ({ name, args }, compiler) => methodStep(name, args, compiler),
  invoke: ({ args }, compiler) => invokeStep(args, compiler),
  flatten: () => FLATTEN,
  repeat: () => REPEAT,
  recursion: (part, compiler) => {
    const [repeated, rest] = splitRecursion(part);
    const step = recursionStep(part, compilePath(repeated, compiler).whole, compiler);
    if (rest.length === 0) return step;
    const { whole } = compilePath(rest, compiler);
    return { apply: (value, frame) => andThen(step.apply(value, frame), (reached) => whole(reached, frame)) };
  },
};

export function compileIdiom({ start, parts }: Idiom, compiler: InlineCompiler): Evaluate {
  if (start !== undefined) {
    const begin = compiler.expression(start);
    const step = compilePath(parts, compiler).whole;
    return (frame) => {
      const value = begin(frame);
      return value instanceof Promise ? value.then((settled) => step(settled, frame)) : step(value, frame);
    };
  }
  const [first] = parts;
  if (first?.kind === 'field') {
    const rest = compilePath(parts.slice(1), compiler);
    return compileDocumentField(first.name, rest, joined(fieldStep(first.name), rest));
  }
  const step = compilePath(parts, compiler).whole;
  return (frame) => step(frame.current, frame);
}

/** The steps of a path, applied to a value. */
function compilePath(parts: readonly Part[], compiler: InlineCompiler): Path {
  let rest = NO_PATH;
  for (let end = parts.length; end > 0; ) {
    const begin = beginOfChain(parts, end);
    if (begin < end) {
      rest = chainStep(parts.slice(begin, end) as ChainPart[], rest, compiler);
      end = begin;
    } else {
      end--;
      rest = withPart(parts[end] as Part, rest, compiler);
    }
  }
  return rest;
}

function withPart(part: Part, rest: Path, compiler: InlineCompiler): Path {
  if (part.kind === 'optional') return optionalField(rest);
  if (part.kind === 'graph') return chainStep([part], rest, compiler);
  return joined((PARTS[part.kind] as PartCompiler<Part>)(part, compiler), rest);
}

/**
 * Where the chain of graph steps (and filters behind them) begins that ends before `end`; `end` itself if none does.
 */
function beginOfChain(parts: readonly Part[], end: number): number {
  let begin = end;
  while (begin > 0 && (parts[begin - 1]?.kind === 'graph' || parts[begin - 1]?.kind === 'where')) begin--;
  while (begin < end && parts[begin]?.kind !== 'graph') begin++;
  return begin;
}
