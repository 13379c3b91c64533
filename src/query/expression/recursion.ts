/** `.{n}`, `.{a..b}`, `.{..+path}` and their like: a path that is followed again and again. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import { eachItem } from '../../base/work/loops.js';
import { failure } from '../../errors/error.js';
import type { DestructureField, Part, Recursion } from '../../language/ast.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import { flattenDeep } from '../../value/flatten.js';
import { equals } from '../../value/order.js';
import { toText } from '../../value/text/text.js';
import { isArray, RecordId, type Value } from '../../value/value.js';
import { RecursionFrame, type Repeat } from './document-frame.js';
import type { PartStep, Step } from './step.js';

/** Maximum number of repetitions of a path. */
const LIMIT = 256;
/** Maximum number of nodes that `+path` and `+collect` visit. */
const MAX_NODES = 1_000_000;

interface Plan {
  readonly min: number;
  readonly max: number;
  /** Whether the query bounds the depth, so that reaching the bound is no error. */
  readonly bounded: boolean;
  readonly inclusive: boolean;
  readonly path: Step;
}

export function recursionStep(recursion: Recursion, path: Step, compiler: Compiler): PartStep {
  const { min = 1, max = LIMIT, instruction, inclusive = false } = recursion;
  const wrong = wrongBound(recursion.min) ?? wrongBound(recursion.max);
  if (wrong !== undefined) {
    return {
      apply: () => {
        throw wrong;
      },
    };
  }
  // What an `@` in the path itself gathers is one list, which ends at the limit.
  const bounded = recursion.max !== undefined || recursion.path.some(isRepeat);
  const plan: Plan = { min, max, bounded, inclusive, path };
  return { apply: compileWalk(plan, recursion, instruction, compiler) };
}

function wrongBound(bound: number | undefined): Error | undefined {
  if (bound === undefined) return undefined;
  if (bound < 1) return failure('recursion_bound_low', { bound });
  return bound > LIMIT ? failure('recursion_bound_high', { bound, limit: LIMIT }) : undefined;
}

function compileWalk(
  plan: Plan,
  recursion: Recursion,
  instruction: Recursion['instruction'],
  compiler: Compiler,
): Step {
  if (repeats(recursion)) {
    if (instruction === undefined) return (value, frame) => buildTree(plan, value, frame);
    return () => {
      throw failure('recursion_plan_conflict');
    };
  }
  switch (instruction?.kind) {
    case undefined:
      return (value, frame) => deepest(plan, value, frame);
    case 'collect':
      return (value, frame) => collect(plan, value, frame);
    case 'path':
      return (value, frame) => allPaths(plan, value, frame);
    case 'shortest': {
      const target = compiler.expression(instruction.target);
      return (value, frame) => andThen(target(frame), (goal) => shortest(plan, value, goal, frame));
    }
  }
}

/** Whether the path holds an `@`, also within its destructuring. */
function repeats({ path }: Recursion): boolean {
  return path.some(holdsRepeat);
}

function isRepeat({ kind }: Part): boolean {
  return kind === 'repeat';
}

function holdsRepeat(part: Part): boolean {
  return isRepeat(part) || (part.kind === 'destructure' && part.fields.some(isRepeating));
}

function isRepeating(field: DestructureField): boolean {
  if (field.kind === 'nested') return field.fields.some(isRepeating);
  return field.kind === 'alias' && field.value.kind === 'idiom' && field.value.parts.some(holdsRepeat);
}

/**
 * The path to repeat, and the rest to apply at its end: without parentheses around it, the parts behind an `@` apply
 * to the result of the last step.
 */
export function splitRecursion({
  path,
  enclosed,
}: Recursion): readonly [repeated: readonly Part[], rest: readonly Part[]] {
  const at = enclosed ? -1 : path.findIndex(isRepeat);
  return at === -1 ? [path, []] : [path.slice(0, at + 1), path.slice(at + 1)];
}

/** Follows the path and gives the deepest value within the bounds. */
function deepest(plan: Plan, start: Value, frame: Frame): PromiseOrValue<Value> {
  let value = start;
  let depth = 0;
  const walk = untilTrue(() => {
    if (depth === plan.max) {
      if (!plan.bounded) throw failure('recursion_too_deep', { limit: LIMIT });
      return true;
    }
    return andThen(frame.execution.interrupt.checkpoint(), () =>
      andThen(plan.path(value, frame), (reached) => {
        const found = alive(reached);
        const isDead = isDeadEnd(found);
        const atEnd = isDead || equals(found, value);
        if (!atEnd && !isArray(found)) mustBeRecord(found);
        // Before the least depth a dead end is the result: there is nothing that deep. Nor is there on a
        // cycle.
        if (!atEnd || depth < plan.min) value = atEnd && !isDead ? undefined : found;
        depth++;
        return atEnd;
      }),
    );
  });
  return andThen(walk, () => (plan.min > plan.max ? undefined : value));
}

/** All nodes that can be reached, each once, nearest first. */
function collect(plan: Plan, start: Value, frame: Frame): PromiseOrValue<Value> {
  const seen = new Seen();
  const found: Value[] = [];
  if (plan.inclusive) {
    seen.add(start);
    found.push(start);
  }
  let frontier: readonly Value[] = [start];
  let depth = 0;
  const walk = untilTrue(() => {
    if (depth === plan.max || frontier.length === 0) return true;
    depth++;
    const fresh: Value[] = [];
    const level = forEachInOrder(frontier, (node) =>
      andThen(nextNodes(plan, node, frame), (nodes) => {
        const added = eachItem(nodes, frame.execution.interrupt, (each) => {
          if (seen.add(each)) fresh.push(each);
        });
        return andThen(added, () => undefined);
      }),
    );
    return andThen(level, () => {
      if (depth >= plan.min) for (const each of fresh) found.push(each);
      frontier = fresh;
      return false;
    });
  });
  return andThen(walk, () => found);
}

/** A path to a node, as a list from its end. */
interface Way {
  readonly node: Value;
  readonly before: Way | undefined;
}

function nodesOf(way: Way | undefined): Value[] {
  const nodes: Value[] = [];
  for (let at = way; at !== undefined; at = at.before) nodes.push(at.node);
  return nodes.reverse();
}

/** All maximal paths: those that end early first. */
function allPaths(plan: Plan, start: Value, frame: Frame): PromiseOrValue<Value> {
  const finished: Value[] = [];
  let open: readonly { readonly node: Value; readonly way: Way | undefined }[] = [
    { node: start, way: plan.inclusive ? { node: start, before: undefined } : undefined },
  ];
  let depth = 0;
  let visited = 0;
  const walk = untilTrue(() => {
    if (depth === plan.max || open.length === 0) return true;
    const longer: { node: Value; way: Way }[] = [];
    const level = forEachInOrder(open, ({ node, way }) =>
      andThen(nextNodes(plan, node, frame), (nodes) => {
        visited += nodes.length;
        if (visited > MAX_NODES) throw failure('recursion_too_large', { limit: MAX_NODES });
        for (const each of nodes) longer.push({ node: each, way: { node: each, before: way } });
        if (nodes.length === 0 && depth >= plan.min) finished.push(nodesOf(way));
        return undefined;
      }),
    );
    return andThen(level, () => {
      depth++;
      open = longer;
      return false;
    });
  });
  return andThen(walk, () => {
    let length = finished.reduce<number>((sum, path) => sum + (path as Value[]).length, 0);
    for (const { way } of open) {
      const nodes = nodesOf(way);
      length += nodes.length;
      if (length > MAX_NODES) throw failure('recursion_too_large', { limit: MAX_NODES });
      finished.push(nodes);
    }
    return finished;
  });
}

/** The shortest path to a node; NONE if there is none. */
function shortest(plan: Plan, start: Value, goal: Value, frame: Frame): PromiseOrValue<Value> {
  const seen = new Seen();
  seen.add(start);
  let open: readonly Way[] = [{ node: start, before: undefined }];
  let depth = 0;
  let answer: Value[] | undefined;
  const walk = untilTrue(() => {
    if (depth === plan.max || open.length === 0) return true;
    depth++;
    const fresh: Way[] = [];
    const level = forEachInOrder(open, (way) =>
      andThen(nextNodes(plan, way.node, frame), (nodes) => {
        const visited = eachItem(nodes, frame.execution.interrupt, (node) => {
          if (answer !== undefined) return;
          if (depth >= plan.min && equals(node, goal)) answer = nodesOf({ node, before: way });
          else if (seen.add(node)) fresh.push({ node, before: way });
        });
        return andThen(visited, () => answer !== undefined);
      }),
    );
    return andThen(level, () => {
      open = fresh;
      return answer !== undefined;
    });
  });
  return andThen(walk, () => (plan.inclusive ? answer : answer?.slice(1)));
}

/**
 * A path with `@` in it: the values there are taken through the path again, to the greatest depth. Branches
 * that end before the least depth are left out; lists in a list become part of it.
 */
function buildTree(plan: Plan, start: Value, frame: Frame): PromiseOrValue<Value> {
  const { min, max, bounded, path } = plan;
  const branch = (value: Value, depth: number): PromiseOrValue<Value> => {
    if (isDeadEnd(value)) return value;
    if (isArray(value)) {
      frame.unfold(value.length);
      const branches = mapInOrder(value, (item) => branch(item, depth));
      return andThen(branches, (all) => all.filter((each) => each !== undefined).flat());
    }
    if (depth === max) {
      if (!bounded) throw failure('recursion_too_deep', { limit: LIMIT });
      return value;
    }
    let goesOn = depth + 1 >= min;
    if (depth > 0) mustBeRecord(value);
    const repeat: Repeat = (inner) =>
      andThen(branch(inner, depth + 1), (grown) => {
        goesOn ||= !isDeadEnd(grown);
        return grown;
      });
    return andThen(frame.execution.interrupt.checkpoint(), () => {
      const inner = new RecursionFrame(frame.execution, frame.scope, frame.current, frame.parent, repeat);
      return andThen(path(value, inner), (tree) => (goesOn ? tree : undefined));
    });
  };
  return branch(start, 0);
}

/** `@`. */
export const REPEAT: PartStep = {
  apply: (value, frame) => {
    if (!(frame instanceof RecursionFrame)) throw failure('repeat_misplaced');
    return frame.repeat(value);
  },
};

function nextNodes(plan: Plan, node: Value, frame: Frame): PromiseOrValue<readonly Value[]> {
  return andThen(frame.execution.interrupt.checkpoint(), () =>
    andThen(plan.path(node, frame), (reached) => {
      const found = alive(reached);
      if (isDeadEnd(found)) return [];
      const nodes = isArray(found) ? found : [found];
      nodes.forEach(mustBeRecord);
      return nodes;
    }),
  );
}

function mustBeRecord(value: Value): void {
  if (!(value instanceof RecordId)) throw failure('recursion_no_record', { value: toText(value) });
}

/** The values that a path reached as one flat array, without NONE and NULL. */
function alive(value: Value): Value {
  return isArray(value) ? flattenDeep(value).filter((item) => item !== undefined && item !== null) : value;
}

function isDeadEnd(value: Value): boolean {
  return value === undefined || value === null || (isArray(value) && value.length === 0);
}

/** A set of values by their canonical text. */
class Seen {
  readonly #texts = new Set<string>();

  /** Whether the value is new. */
  add(value: Value): boolean {
    const text = toText(value);
    if (this.#texts.has(text)) return false;
    if (this.#texts.size >= MAX_NODES) throw failure('recursion_too_large', { limit: MAX_NODES });
    this.#texts.add(text);
    return true;
  }
}
