/** Paths: each part is joined with what comes after it, from the last part to the first. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { CALL } from '../../base/work/work.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { callMethod } from '../../functions/calls/call.js';
import { isMethodName, methodFor } from '../../functions/methods.js';
import type { DestructureField, Expression, Idiom, Part } from '../../language/ast.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { geometryToObject } from '../../value/geometry.js';
import { typeOf } from '../../value/type-of.js';
import {
  Closure,
  Geometry,
  isArray,
  isNumber,
  isObject,
  kindOf,
  type MutableObject,
  newObject,
  type ObjectValue,
  RecordId,
  type Value,
} from '../../value/value.js';
import { invokeStep } from './call.js';
import { callClosure } from './closure.js';
import { compileList } from './collection.js';
import { frameAt } from './document-frame.js';
import { fieldReader } from './field-reader.js';
import { ExecutionFunctionContext } from './function-context.js';
import { type ChainPart, chainStep } from './graph.js';
import { indexStep, LAST, whereStep } from './index-step.js';
import type { InlineCompiler } from './inline-compiler.js';
import { REPEAT, recursionStep, splitRecursion } from './recursion.js';
import {
  END,
  fetchRecord,
  isKeyField,
  joined,
  mapStep,
  NO_PATH,
  type PartStep,
  type Path,
  type Step,
  stepInto,
} from './step.js';

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

// `.{a, b.*, c: expression, d.{e}}`.

/** Writes the value of a field of a destructuring into the new object. */
type Member = (from: ObjectValue, into: MutableObject, frame: Frame) => PromiseOrValue<undefined>;

/** The step `.{ a, b: c.d }` of a path. */
function destructureStep(fields: readonly DestructureField[], compiler: Compiler): PartStep {
  const members = fields.map((field) => compileMember(field, compiler));
  const step: Step = (value, frame) => {
    if (!isObject(value)) return stepInto(value, frame, step);
    const object = newObject();
    const filled = andThen(frame.execution.interrupt.checkpoint(CALL), () =>
      forEachInOrder(members, (member) => member(value, object, frame)),
    );
    return andThen(filled, () => object);
  };
  return { apply: step, element: step };
}

function compileMember(field: DestructureField, compiler: Compiler): Member {
  const { name } = field;
  switch (field.kind) {
    case 'include':
      return (from, into) => {
        into[name] = from[name];
        return undefined;
      };
    case 'all': {
      const path: Idiom = { kind: 'idiom', parts: [{ kind: 'field', name }, { kind: 'all' }] };
      const read = compiler.expression(path);
      const named = written(name, (from, frame) => read(frameAt(frame, from)));
      return (from, into, frame) => {
        const inner = from[name];
        // Links and lists give what the path gives; the fields of an object become fields of the new one.
        if (inner instanceof RecordId || isArray(inner)) return named(from, into, frame);
        if (isObject(inner)) for (const key of Object.keys(inner)) into[key] = inner[key];
        return undefined;
      };
    }
    case 'nested': {
      const destructure = destructureStep(field.fields, compiler).apply;
      return written(name, (from, frame) => destructure(from[name], frame));
    }
    case 'alias': {
      const evaluate = compiler.expression(field.value);
      return written(name, (from, frame) => evaluate(frameAt(frame, from)));
    }
  }
}

function written(name: string, read: (from: ObjectValue, frame: Frame) => PromiseOrValue<Value>): Member {
  return (from, into, frame) =>
    andThen(read(from, frame), (value) => {
      into[name] = value;
      return undefined;
    });
}

// `.name(args)`: the function of the receiver's family, or a closure in a field.

/**
 * The step `.name(args)`: a built-in function with the value as its first argument.
 * @throws TesseraError `method_missing`, `method_unknown`, when it runs
 */
function methodStep(name: string, args: readonly Expression[], compiler: Compiler): PartStep {
  const evaluate = compileList(args, compiler);
  const apply: Step = (value, frame) =>
    andThen(evaluate(frame), (values) => {
      const row = methodFor(value, name);
      const { execution } = frame;
      if (row !== undefined) {
        const made = callMethod(row, name, [value, ...values], new ExecutionFunctionContext(execution));
        return andThen(made, (settled) => execution.request.memory.charged(settled));
      }
      const closure = isObject(value) ? value[name] : undefined;
      if (!(closure instanceof Closure)) throw withoutMethod(value, name);
      return callClosure(execution, closure, values);
    });
  return { apply };
}

/** Its cause is the same in the words of statements that write (`peer-error-wording.ts`). */
function withoutMethod(value: Value, name: string): TesseraError {
  const cause = failure('method_unknown', { name, kind: isNumber(value) ? 'number' : kindOf(value) });
  return failure(isMethodName(name) ? 'method_missing' : 'method_unknown', { name, kind: typeOf(value) }, { cause });
}

/** Fields of objects and of values that convert to objects, `.*` and `.?`. */
function fieldStep(name: string): PartStep {
  const step: Step = (value, frame) => {
    if (isObject(value)) return value[name];
    if (value instanceof Geometry) return geometryToObject(value)[name];
    if (value instanceof RecordId && isKeyField(value, name, frame)) return (value.key as ObjectValue)[name];
    return stepInto(value, frame, step);
  };
  return { apply: step, element: step };
}

/** A path that begins with a field of the current document: the most frequent expression of all. */
function compileDocumentField(name: string, rest: Path, path: Path): Evaluate {
  const next = rest.whole;
  const field = fieldReader(name);
  if (next === END) {
    return (frame) => {
      const document = frame.current;
      return isObject(document) ? field.read(document) : path.whole(document, frame);
    };
  }
  return (frame) => {
    const document = frame.current;
    return isObject(document) ? next(field.read(document), frame) : path.whole(document, frame);
  };
}

/** A link becomes its record; other values stay. */
const resolved: Step = (value, frame) => (value instanceof RecordId ? fetchRecord(value, frame) : value);

const resolvedWithin: Step = (value, frame) =>
  isArray(value) ? mapStep(value, frame, resolvedWithin) : resolved(value, frame);

/**
 * `.*` leaves objects as they are; links become their records, alone or as elements. What has no parts is the only one
 * of its own.
 */
const ALL: PartStep = {
  apply: (value, frame): PromiseOrValue<Value> => {
    // Where one element is a link, those in arrays between them are followed too.
    if (isArray(value)) return value.some(isLink) ? mapStep(value, frame, resolvedWithin) : value;
    return isObject(value) || isLink(value) ? resolved(value, frame) : [value];
  },
  element: resolved,
};

/** `…`: flattens the arrays in an array. Other values stay. */
const FLATTEN: PartStep = {
  apply: (value, frame) => {
    if (!isArray(value) || !value.some(isArray)) return value;
    const items: Value[] = [];
    for (const item of value) {
      if (!isArray(item)) items.push(item);
      else {
        frame.unfold(item.length);
        for (const inner of item) items.push(inner);
      }
    }
    return items;
  },
};

function isLink(value: Value): boolean {
  return value instanceof RecordId;
}

/** `.?` ends the path at a missing value. */
function optionalField({ whole, each }: Path): Path {
  return { whole: unlessNothing(whole), each: unlessNothing(each) };
}

function unlessNothing(next: Step): Step {
  return (value, frame) => (value === undefined || value === null ? value : next(value, frame));
}
