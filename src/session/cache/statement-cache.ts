/**
 * Cache of parsed statements of short texts. The compiled closures are kept in the syntax trees.
 *
 * A repeated text is found as it is. A text that differs from earlier ones only in its literals finds its statements by
 * their shapes (`language/shape.ts`), and only its literals are read. Most texts and shapes come once; caching their
 * trees, which V8 would promote to the old generation, costs more than parsing. So caching begins with the second use.
 */
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { TesseraError } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import { type Slot, slotValue } from '../../language/parameterize.js';
import { parseQuery, StatementReader } from '../../language/parse.js';
import { hashOf, type Shape, shapesOf, shapeText } from '../../language/shape.js';
import type { ObjectValue, Value } from '../../value/value.js';
import type { Aging } from './cache-aging.js';
import type { OwnStatements } from './own-statements.js';

// Statements for all texts of a shape: their literals are slots (`language/parameterize.ts`).

/** A statement for all texts of its shape whose other literals are the same. */
interface NormalizedStatement {
  readonly statement: Statement;
  readonly slots: readonly Slot[];
  /** Characters of the text from which the statement was read: names in the tree are parts of it. */
  readonly source: number;
}

interface Store<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): unknown;
}

/** Normalized statements by their shapes and by the literals that remain in them. */
class NormalizedStatements {
  readonly #statements: Store<NormalizedStatement>;
  /** By shape that has some: the blanks whose literals remain in the statement. */
  readonly #fixed: Store<readonly number[]>;

  constructor(statements: Store<NormalizedStatement> = new Map(), fixed: Store<readonly number[]> = new Map()) {
    this.#statements = statements;
    this.#fixed = fixed;
  }

  /**
   * A normalized statement, and the literals that remain in it; without these if there is none of its shape.
   */
  find(
    shape: Shape,
    text: string,
  ): { readonly normalized?: NormalizedStatement | undefined; readonly literals?: string } {
    const name = shapeText(shape, text);
    const fixed = this.#fixed.get(name);
    if (fixed === undefined) return {};
    const literals = literalsAt(fixed, shape, text);
    return { normalized: this.#statements.get(name + literals), literals };
  }

  keep(shape: Shape, text: string, normalized: NormalizedStatement): void {
    const name = shapeText(shape, text);
    const lifted = new Set(normalized.slots.map(({ blank }) => blank));
    const fixed = shape.blanks.flatMap((_, index) => (lifted.has(index) ? [] : [index]));
    this.#fixed.set(name, fixed);
    this.#statements.set(name + literalsAt(fixed, shape, text), normalized);
  }
}

/** The literals at some blanks, as they are written. No text that parses has a zero character in it. */
function literalsAt(fixed: readonly number[], { blanks }: Shape, text: string): string {
  let key = '';
  for (const index of fixed) {
    const blank = blanks[index];
    if (blank !== undefined) key += `\0\0${index}\0${text.slice(blank.start, blank.end)}`;
  }
  return key;
}

/** A power of two. */
const SLOTS = 2 ** 15;

/**
 * A direct-mapped table of hashes of constant size: a collision evicts the former entry, and equal hashes count as
 * equal.
 */
class SeenHashes {
  readonly #slots = new Int32Array(SLOTS);

  has(hash: number): boolean {
    return this.#slots[slotOf(hash)] === hash;
  }

  /** Adds a nonzero hash; returns whether it was present. */
  note(hash: number): boolean {
    const slot = slotOf(hash);
    const wasThere = this.#slots[slot] === hash;
    this.#slots[slot] = hash;
    return wasThere;
  }
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

/** Characters of a text that is parsed at once. Longer ones are rarely sent twice. */
export const SHORT = 10_000;

/** The statements of a request. */
export interface ParsedRequest {
  readonly statements: readonly Statement[];
  /** The values of the slots of each statement; absent where no statement has one. */
  readonly literals?: readonly (readonly Value[])[];
  /** The same statements where they are those of a long text. */
  readonly own?: OwnStatements;
}

interface Prepared {
  readonly statement: Statement;
  readonly literals: readonly Value[];
}

/** The statements of a text that aren't cached and have to be parsed. */
interface Reading {
  readonly reader: StatementReader;
  /** Hashes of the shapes that came for the first time with this text. */
  readonly fresh: Set<number>;
  /** Of shapes that come several times in this text; dropped with it, since they may never come again. */
  readonly own: NormalizedStatements;
}

/** Bytes of the trees by text and by shape, and of the shapes themselves, in one generation; two are kept. */
const TREE_BYTES = 4 * 2 ** 20;
const SHAPE_BYTES = 2 ** 20;
/**
 * The share of a generation that an idle server keeps. Statements that are compiled again behind a pause are new to V8,
 * which then discards the machine code that it had made for them, and for all that statements have in common.
 */
const KEPT_WHEN_IDLE = 1 / 2;
/** Estimate of the memory of trees with their closures: bytes for each character, and an overhead in characters. */
const TREE_BYTES_PER_CHARACTER = 32;
const ENTRY_OVERHEAD = 64;

const NONE: readonly Value[] = [];

const treeWeight = (text: string): number => (text.length + ENTRY_OVERHEAD) * TREE_BYTES_PER_CHARACTER;

export class StatementCache implements Aging {
  readonly #texts = new TwoGenerationCache<string, readonly Statement[]>(TREE_BYTES, treeWeight);
  readonly #trees = new TwoGenerationCache<string, NormalizedStatement>(
    TREE_BYTES,
    (key, { source }) => treeWeight(key) + source,
  );
  readonly #shapes = new TwoGenerationCache<string, readonly number[]>(
    SHAPE_BYTES,
    (name) => 4 * name.length + ENTRY_OVERHEAD,
  );
  readonly #normalized = new NormalizedStatements(this.#trees, this.#shapes);
  readonly #met = new SeenHashes();
  readonly #atOnce: boolean;
  /** The last text all of whose statements were cached. If it comes twice in a row it is cached as a whole. */
  #last = '';

  /** `atOnce`: a statement is normalized when its shape comes for the first time, in whatever text; for tests. */
  constructor(atOnce = false) {
    this.#atOnce = atOnce;
  }

  age(): void {
    for (const trees of [this.#texts, this.#trees]) trees.age(TREE_BYTES * KEPT_WHEN_IDLE);
    this.#shapes.age(SHAPE_BYTES * KEPT_WHEN_IDLE);
  }

  /** @throws TesseraError `parse_error`, `query_too_deep` */
  parse(text: string, variables?: ObjectValue): ParsedRequest {
    const same = this.#texts.get(text);
    if (same !== undefined) return { statements: same };
    if (text.length > SHORT) return parseQuery(text);
    const shapes = shapesOf(text);
    const known = shapes && this.#known(shapes, text, variables);
    const isComplete = known !== undefined && known.length === shapes?.length;
    if (isComplete && (this.#atOnce || text !== this.#last)) {
      this.#last = text;
      return requestOf(known);
    }
    if (!this.#atOnce && (isComplete || this.#met.note(hashOf(text)))) {
      const { statements } = parseQuery(text);
      this.#texts.set(text, statements);
      return { statements };
    }
    return (shapes && known && this.#byShapes(shapes, known, text, variables)) ?? parseQuery(text);
  }

  /** The statements up to the first that isn't cached. */
  #known(shapes: readonly Shape[], text: string, variables: ObjectValue | undefined): Prepared[] {
    const found: Prepared[] = [];
    for (const shape of shapes) {
      const prepared = this.#prepare(shape, text, variables);
      if (prepared === undefined) break;
      found.push(prepared);
    }
    return found;
  }

  /**
   * Parses the statements behind those that are cached. `undefined` if the text doesn't match its shapes: then it is
   * parsed as a whole, which throws the parse error.
   */
  #byShapes(
    shapes: readonly Shape[],
    known: Prepared[],
    text: string,
    variables: ObjectValue | undefined,
  ): ParsedRequest | undefined {
    try {
      const reading = { reader: new StatementReader(text), fresh: new Set<number>(), own: new NormalizedStatements() };
      for (const shape of shapes.slice(known.length)) {
        const prepared = this.#prepare(shape, text, variables, reading);
        if (prepared === undefined) return undefined;
        known.push(prepared);
      }
      return requestOf(known);
    } catch (error) {
      if (error instanceof TesseraError) return undefined;
      throw error;
    }
  }

  /** The cached statement of a shape; without one it may be parsed. */
  #prepare(shape: Shape, text: string, variables: ObjectValue | undefined, reading?: Reading): Prepared | undefined {
    if (!shape.isData) return reading && plain(reading, shape);
    // Most come once, and then nothing is looked up.
    if (!this.#atOnce && !this.#met.has(shape.hash)) {
      if (reading === undefined) return undefined;
      this.#met.note(shape.hash);
      reading.fresh.add(shape.hash);
      return plain(reading, shape);
    }
    const store = reading?.fresh.has(shape.hash) ? reading.own : this.#normalized;
    const { normalized: known, literals } = store.find(shape, text);
    if (known !== undefined) return bound(known, shape, variables);
    if (reading === undefined) return undefined;
    if (literals !== undefined && !this.#atOnce && !this.#met.note(hashOf(literals, 0, literals.length, shape.hash))) {
      return plain(reading, shape);
    }
    const lifted = reading.reader.lifted(shape);
    if (lifted === undefined) return undefined;
    const normalized = { ...lifted, source: text.length };
    store.keep(shape, text, normalized);
    return bound(normalized, shape, variables);
  }
}

function plain({ reader }: Reading, shape: Shape): Prepared | undefined {
  const statement = reader.read(shape);
  return statement && { statement, literals: NONE };
}

function requestOf(found: readonly Prepared[]): ParsedRequest {
  return { statements: found.map(({ statement }) => statement), literals: found.map(({ literals }) => literals) };
}

/** The statement with the values of a text; `undefined` where a literal isn't one, or a param isn't given. */
function bound(
  { statement, slots }: NormalizedStatement,
  { blanks }: Shape,
  variables: ObjectValue | undefined,
): Prepared | undefined {
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
