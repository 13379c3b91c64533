/**
 * The statements of short texts that came before, parsed. What their trees are compiled to is kept in the trees.
 *
 * A text that comes again is found as it is. One that differs from earlier ones by its literals finds its statements by their shapes
 * (`language/shape.ts`), and only its literals are read. Most texts come once, and so do most shapes; their trees, had they to be moved and
 * swept as old objects, would cost more than reading. So nothing is kept when it comes for the first time.
 */
import { LruCache } from '../base/lru-cache.js';
import { TesseraError } from '../errors/error.js';
import type { Statement } from '../language/ast.js';
import { type Slot, slotValue } from '../language/lift.js';
import { parseQuery, StatementReader } from '../language/parse.js';
import { type Shape, shapesOf } from '../language/shape.js';
import type { ObjectValue, Value } from '../value/value.js';
import type { Aging } from './cache-aging.js';

/** Characters of a text that is parsed at once. Longer ones are rarely sent twice. */
export const SHORT = 10_000;

/** The statements of a request. */
export interface ParsedRequest {
  readonly statements: readonly Statement[];
  /** The values of the slots of each statement, where there are any. */
  readonly literals?: readonly (readonly Value[])[];
}

/** A statement for all texts of its shape whose other literals are the same. */
interface Plan {
  readonly statement: Statement;
  readonly slots: readonly Slot[];
  /** Characters of the text from which the statement was read: names in the tree are parts of it. */
  readonly source: number;
}

interface Prepared {
  readonly statement: Statement;
  readonly literals: readonly Value[];
}

/** Bytes of the trees that are kept by text and by shape, and of what came once; at most twice as many are kept. */
const TREE_BYTES = 4 * 2 ** 20;
const MET_BYTES = 2 ** 20;
/** What trees with their closures take, estimated: so many bytes a character, and for each text as if it had so many more. */
const TREE_BYTES_PER_CHARACTER = 32;
const ENTRY_OVERHEAD = 64;

const NONE: readonly Value[] = [];

const treeWeight = (text: string): number => (text.length + ENTRY_OVERHEAD) * TREE_BYTES_PER_CHARACTER;
const textWeight = (text: string): number => 2 * text.length + ENTRY_OVERHEAD;

export class PlanCache implements Aging {
  readonly #texts = new LruCache<string, readonly Statement[]>(TREE_BYTES, treeWeight);
  readonly #plans = new LruCache<string, Plan>(TREE_BYTES, (key, { source }) => treeWeight(key) + textWeight(key) + source);
  /** Of shapes that have plans: the blanks whose literals belong to the statement. */
  readonly #fixed = new LruCache<string, readonly number[]>(MET_BYTES, (text, { length }) => textWeight(text) + 8 * length);
  /** Texts and keys of plans that came once so far. */
  readonly #met = new LruCache<string, true>(MET_BYTES, textWeight);
  readonly #atOnce: boolean;
  /** The last text all of whose statements had plans. One that comes twice in a row is kept as it is: nothing of it has to be read then. */
  #last = '';

  /** `atOnce`: a shape has a plan when it comes for the first time; for tests. */
  constructor(atOnce = false) {
    this.#atOnce = atOnce;
  }

  age(): void {
    for (const cache of [this.#texts, this.#plans, this.#fixed, this.#met]) cache.age();
    this.#last = '';
  }

  /** @throws TesseraError `parse_error`, `query_too_deep` */
  parse(text: string, variables?: ObjectValue): ParsedRequest {
    const known = this.#texts.get(text);
    if (known !== undefined) return { statements: known };
    if (text.length > SHORT) return parseQuery(text);
    const shapes = shapesOf(text);
    const plans = shapes?.map((shape) => this.#planned(shape, text, variables));
    if (plans?.every((plan) => plan !== undefined) && (this.#atOnce || text !== this.#last)) {
      this.#last = text;
      return requestOf(plans);
    }
    if (!this.#atOnce && (this.#isMet(text) || text === this.#last)) {
      const { statements } = parseQuery(text);
      this.#texts.set(text, statements);
      return { statements };
    }
    return (shapes && this.#byShapes(shapes, text, variables)) ?? parseQuery(text);
  }

  /** Whether something came before; it has now. */
  #isMet(key: string): boolean {
    if (this.#met.get(key)) return true;
    this.#met.set(key, true);
    return false;
  }

  /** `undefined` where a text isn't what its shapes make of it. What is wrong with it is told of all of it. */
  #byShapes(shapes: readonly Shape[], text: string, variables: ObjectValue | undefined): ParsedRequest | undefined {
    try {
      const reader = new StatementReader(text);
      const found: Prepared[] = [];
      for (const shape of shapes) {
        const prepared = this.#planned(shape, text, variables) ?? this.#read(shape, text, reader, variables);
        if (prepared === undefined) return undefined;
        found.push(prepared);
      }
      return requestOf(found);
    } catch (error) {
      if (error instanceof TesseraError) return undefined;
      throw error;
    }
  }

  #planned(shape: Shape, text: string, variables: ObjectValue | undefined): Prepared | undefined {
    const fixed = this.#fixed.get(shape.text);
    const plan = fixed && this.#plans.get(planKey(shape, fixed, text));
    return plan && bound(plan, shape, variables);
  }

  #read(
    shape: Shape,
    text: string,
    reader: StatementReader,
    variables: ObjectValue | undefined,
  ): Prepared | undefined {
    const known = this.#fixed.get(shape.text) ?? [];
    if (!this.#isMet(planKey(shape, known, text)) && !this.#atOnce) {
      const statement = reader.read(shape);
      return statement && { statement, literals: NONE };
    }
    const lifted = reader.lifted(shape);
    if (lifted === undefined) return undefined;
    const plan = { ...lifted, source: text.length };
    const fixed = fixedBlanks(shape, plan.slots);
    this.#fixed.set(shape.text, fixed);
    this.#plans.set(planKey(shape, fixed, text), plan);
    return bound(plan, shape, variables);
  }
}

function requestOf(found: readonly Prepared[]): ParsedRequest {
  return { statements: found.map(({ statement }) => statement), literals: found.map(({ literals }) => literals) };
}

/** The shape with the literals that belong to the statement. No text that parses has a zero character in it. */
function planKey({ text: shape, blanks }: Shape, fixed: readonly number[], text: string): string {
  let key = shape;
  for (const index of fixed) {
    const blank = blanks[index];
    if (blank !== undefined) key += `\0\0${index}\0${text.slice(blank.start, blank.end)}`;
  }
  return key;
}

function fixedBlanks({ blanks }: Shape, slots: readonly Slot[]): readonly number[] {
  const lifted = new Set(slots.map(({ blank }) => blank));
  return blanks.flatMap((_, index) => (lifted.has(index) ? [] : [index]));
}

/** The plan with the values of a text; `undefined` where a literal isn't one, or a param isn't given. */
function bound({ statement, slots }: Plan, { blanks }: Shape, variables: ObjectValue | undefined): Prepared | undefined {
  if (slots.length === 0) return { statement, literals: NONE };
  const literals: Value[] = [];
  for (const slot of slots) {
    const blank = blanks[slot.blank];
    if (blank?.kind === 'param') {
      if (variables === undefined || !Object.hasOwn(variables, blank.text)) return undefined;
      literals.push(variables[blank.text]);
    } else {
      const value = slotValue(slot, blanks);
      if (value === undefined) return undefined;
      literals.push(value);
    }
  }
  return { statement, literals };
}
