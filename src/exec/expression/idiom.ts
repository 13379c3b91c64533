/** Paths: each part is compiled together with what comes after it, from the last part to the first. */
import type { Idiom, Part } from '../../language/ast.js';
import type { Evaluate } from '../execution.js';
import { invokeStep } from './call.js';
import { destructureStep } from './destructure.js';
import { allStep, compileDocumentField, fieldStep, optionalStep } from './field.js';
import { type ChainPart, chainStep } from './graph.js';
import { indexStep, lastStep, whereStep } from './index-step.js';
import type { InlineCompiler } from './inline-compiler.js';
import { methodStep } from './method.js';
import { recursionStep, repeatStep } from './recursion.js';
import { END, type Step } from './step.js';

type PartCompiler<P extends Part> = (part: P, next: Step, compiler: InlineCompiler) => Step;

const PARTS: { readonly [K in Part['kind']]: PartCompiler<Extract<Part, { kind: K }>> } = {
  field: ({ name }, next) => fieldStep(name, next),
  index: ({ index }, next, compiler) => indexStep(index, next, compiler),
  last: (_, next) => lastStep(next),
  all: (_, next) => allStep(next),
  where: ({ condition }, next, compiler) => whereStep(condition, next, compiler),
  destructure: ({ fields }, next, compiler) => destructureStep(fields, next, compiler),
  method: ({ name, args }, next, compiler) => methodStep(name, args, next, compiler),
  invoke: ({ args }, next, compiler) => invokeStep(args, next, compiler),
  optional: (_, next) => optionalStep(next),
  repeat: (_, next) => repeatStep(next),
  graph: (part, next, compiler) => chainStep([part], next, compiler),
  recursion: (part, next, compiler) => recursionStep(part, compilePath(part.path, compiler), next, compiler),
};

export function compileIdiom({ start, parts }: Idiom, compiler: InlineCompiler): Evaluate {
  if (start !== undefined) {
    const begin = compiler.expression(start);
    const step = compilePath(parts, compiler);
    return (frame) => {
      const value = begin(frame);
      return value instanceof Promise ? value.then((settled) => step(settled, frame)) : step(value, frame);
    };
  }
  const [first] = parts;
  if (first?.kind === 'field') return compileDocumentField(first.name, compilePath(parts.slice(1), compiler));
  const step = compilePath(parts, compiler);
  return (frame) => step(frame.current, frame);
}

/** Parts as one step, from a value to what they lead to. */
export function compilePath(parts: readonly Part[], compiler: InlineCompiler): Step {
  let next = END;
  for (let end = parts.length; end > 0; ) {
    const begin = beginOfChain(parts, end);
    next =
      begin < end
        ? chainStep(parts.slice(begin, end) as ChainPart[], next, compiler)
        : compilePart(parts[end - 1] as Part, next, compiler);
    end = Math.min(begin, end - 1);
  }
  return next;
}

function compilePart<P extends Part>(part: P, next: Step, compiler: InlineCompiler): Step {
  return (PARTS[part.kind] as unknown as PartCompiler<P>)(part, next, compiler);
}

/** Where the chain of graph steps (and filters behind them) begins that ends before `end`; `end` itself if none does. */
function beginOfChain(parts: readonly Part[], end: number): number {
  let begin = end;
  while (begin > 0 && (parts[begin - 1]?.kind === 'graph' || parts[begin - 1]?.kind === 'where')) begin--;
  while (begin < end && parts[begin]?.kind !== 'graph') begin++;
  return begin;
}
