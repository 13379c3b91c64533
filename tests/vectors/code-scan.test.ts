/** Whole scans by codes of 8 bits: their bounds hold, and what they find is what a plain loop finds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { magnitude, squaredEuclidean } from '../../src/vectors/distances.js';
import { CodeArena } from '../../src/vectors/hnsw/code-arena.js';
import { CodeScan } from '../../src/vectors/hnsw/code-scan.js';
import { Graph, type Need } from '../../src/vectors/hnsw/graph.js';
import type { WholeScan } from '../../src/vectors/hnsw/whole-scan.js';
import { FloatScan } from '../../src/vectors/hnsw/whole-scan.js';
import { parseMetric } from '../../src/vectors/metric.js';
import { isInRange } from '../../src/vectors/packed-block.js';

const UNLINKED = { isDead: false, layers: [new Uint32Array()] };

function graphOf(metric: string, vectors: readonly Float32Array[]): Graph {
  const dimension = vectors[0]?.length ?? 1;
  const graph = new Graph(
    {
      metric: parseMetric(metric),
      dimension,
      m: 12,
      m0: 24,
      levelFactor: 0.4,
      efConstruction: 150,
      extendCandidates: false,
      keepPrunedConnections: false,
    },
    false,
  );
  for (const [id, vector] of vectors.entries()) graph.add(id, { key: `k${id}`, vector, links: UNLINKED });
  return graph;
}

/** Does work on a graph of which all nodes are here; answers how often it paused, too. */
function run<T>(work: Generator<Need, T, void>): { readonly value: T; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = work.next();
    if (step.done === true) return { value: step.value, pauses };
  }
}

function found(scan: WholeScan, most: number): { readonly slot: number; readonly distance: number }[] {
  run(scan.run());
  return run(scan.found(most)).value;
}

/** Components of all sizes that 32-bit squares can hold, many of them alike. */
const component = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: -1, max: 1, noNaN: true }) },
  fc.constantFrom(0, 1, -1, 0.5, 1e6, -1e6, 1e-6),
);
const vectorsOf = (dimension: number, most: number) =>
  fc
    .array(fc.array(component, { minLength: dimension, maxLength: dimension }), { minLength: 2, maxLength: most })
    .map((rows) => rows.map((row) => Float32Array.from(row)));
const sets = fc.constantFrom(1, 3, 16, 31, 33, 128).chain((dimension) => vectorsOf(dimension, 40));

/** Others have no place in a graph. */
const isMeasured = (metric: string) => (vector: Float32Array) =>
  isInRange(magnitude(vector)) && (metric !== 'COSINE' || magnitude(vector) > 0);

describe.each(['EUCLIDEAN', 'COSINE'])('%s', (metric) => {
  const unit = (vector: Float32Array): Float64Array => {
    const norm = metric === 'COSINE' ? magnitude(vector) : 1;
    return Float64Array.from(vector, (each) => each / norm);
  };

  it('has bounds that hold', () => {
    fc.assert(
      fc.property(sets, (drawn) => {
        const [query, ...vectors] = drawn.filter(isMeasured(metric));
        if (query === undefined) return;
        const codes = CodeArena.open(parseMetric(metric), query.length);
        if (codes === undefined) throw new Error('no SIMD');
        for (const [slot, vector] of vectors.entries()) codes.set(slot, vector);
        const asked = codes.query(query);
        const least = codes.bound(asked, 0, vectors.length).slice();
        expect(least).toHaveLength(vectors.length);
        for (const [slot, vector] of vectors.entries()) {
          const square = squaredEuclidean(unit(query), unit(vector));
          expect(least[slot]).toBeLessThanOrEqual(square);
          expect((least[slot] as number) + codes.uncertainty(asked, slot)).toBeGreaterThanOrEqual(square);
        }
      }),
    );
  });

  it('finds what a scan by 32-bit floats finds', () => {
    fc.assert(
      fc.property(sets, fc.integer({ min: 1, max: 50 }), fc.nat(3), fc.nat(9), (drawn, most, third, first) => {
        const [query, ...vectors] = drawn.filter(isMeasured(metric));
        if (query === undefined || vectors.length === 0) return;
        const graph = graphOf(metric, vectors);
        graph.remove(0);
        const accepts = (slot: number): boolean => slot % (third + 1) !== 1;
        const of = { point: query, accepts: (slot: number) => slot >= first && accepts(slot), first };
        const byCodes = found(new CodeScan(graph, graph.codes as CodeArena, of), most);
        const byFloats = found(new FloatScan(graph, of), most);
        // Which of several at the same distance is found may differ.
        expect(byCodes.map(({ distance }) => distance)).toEqual(byFloats.map(({ distance }) => distance));
        expect(byCodes.every(({ slot }) => slot !== 0 && of.accepts(slot))).toBe(true);
      }),
    );
  });
});

it('finds which of many numbers are within a limit', () => {
  const codes = CodeArena.open(parseMetric('EUCLIDEAN'), 1) as CodeArena;
  const few = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 20 });
  fc.assert(
    fc.property(few, fc.constantFrom(-6, 0, 3, Number.POSITIVE_INFINITY), (numbers, limit) => {
      // What an earlier call has left there isn't found.
      codes.upTo(0, new Float32Array(40).fill(-9));
      const wanted = [...numbers.keys()].filter((at) => (numbers[at] as number) <= limit);
      expect([...codes.upTo(limit, Float32Array.from(numbers))]).toEqual(wanted);
    }),
  );
});

it('pauses while it measures, compares and measures again', () => {
  const vectors = Array.from({ length: 20_000 }, (_, at) => Float32Array.from({ length: 64 }, (_, each) => at + each));
  const graph = graphOf('EUCLIDEAN', vectors);
  const scan = new CodeScan(graph, graph.codes as CodeArena, {
    point: new Float32Array(64),
    accepts: () => true,
    first: 0,
  });
  expect(run(scan.run()).pauses).toBeGreaterThanOrEqual(1);
  // The nearest are the first ones, and thousands must be measured again.
  const { value, pauses } = run(scan.found(3_000));
  expect(value.map(({ slot }) => slot)).toEqual(Array.from({ length: 3_000 }, (_, at) => at));
  expect(pauses).toBeGreaterThanOrEqual(6);
});

it('measures vectors of 100,000 components', () => {
  const vectors = [1, -1, 0.5].map((sign) => Float32Array.from({ length: 100_000 }, (_, at) => sign * ((at % 7) + 1)));
  const graph = graphOf('EUCLIDEAN', vectors);
  const scan = new CodeScan(graph, graph.codes as CodeArena, {
    point: vectors[0] as Float32Array,
    accepts: () => true,
    first: 0,
  });
  expect(found(scan, 3).map(({ slot }) => slot)).toEqual([0, 2, 1]);
});

it('is not misled by what is put into an empty slot while it is under way', () => {
  const at = (x: number) => Float32Array.of(x, 0);
  const graph = graphOf('EUCLIDEAN', [at(0), at(1), at(2), at(3)]);
  for (const id of [0, 1]) graph.remove(id);
  const request = { point: at(0), accepts: () => true, first: 0 };
  const scan = new CodeScan(graph, graph.codes as CodeArena, request);
  run(scan.run());
  // What lay there was nearer than all others.
  for (const id of [0, 1]) graph.add(id, { key: `new${id}`, vector: at(900 + id), links: UNLINKED });
  expect(run(scan.found(2)).value.map(({ slot }) => slot)).toEqual([2, 3]);
  expect(found(new CodeScan(graph, graph.codes as CodeArena, request), 4).map(({ slot }) => slot)).toEqual([
    2, 3, 0, 1,
  ]);
});

it('has no codes for other metrics, nor for parts of a graph', () => {
  expect(graphOf('MANHATTAN', [new Float32Array(4)]).codes).toBeUndefined();
  const { options } = graphOf('EUCLIDEAN', [new Float32Array(4)]);
  expect(new Graph(options, true).codes).toBeUndefined();
});
