/** The loops of exact searches: what is assembled, and that those in WebAssembly and in JavaScript tell the same. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockMemory } from '../../src/vectors/block-memory.js';
import { distanceOf } from '../../src/vectors/distances.js';
import { type Kernels, plainKernels, simdKernels } from '../../src/vectors/kernels.js';
import { parseMetric } from '../../src/vectors/metric.js';
import { PackedBlock, paddedLength } from '../../src/vectors/packed-block.js';
import { Screen } from '../../src/vectors/screen.js';

test('are assembled from their text', async () => {
  const { assembled } = (await import('../../scripts/assemble-kernels.mjs')) as {
    assembled(text: string): Promise<string>;
  };
  expect(readFileSync('src/vectors/kernels-binary.ts', 'utf8')).toBe(
    await assembled(readFileSync('src/vectors/kernels.wat', 'utf8')),
  );
});

const simd = simdKernels() as Kernels;
const component = fc.oneof(
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(1e6, -1e6 - 0.1, 1e6 + 0.1, 1e-20, 1e11, 1e30, 1e300, Number.NaN, Number.POSITIVE_INFINITY),
);
const vectors = fc
  .integer({ min: 1, max: 40 })
  .chain((dimension) =>
    fc.array(fc.array(component, { minLength: dimension, maxLength: dimension }), { minLength: 2, maxLength: 12 }),
  );

test.each([
  ['simd', simd],
  ['plain', plainKernels],
] as const)('the %s kernels leave out nothing that lies within a distance', (_, kernels) => {
  fc.assert(
    fc.property(vectors, fc.constantFrom('EUCLIDEAN', 'COSINE', 'MANHATTAN'), ([point = [], ...others], name) => {
      const metric = parseMetric(name);
      const query = Float64Array.from(point);
      const distance = distanceOf(metric);
      const distances = others.map((vector) => distance(Float64Array.from(vector), query));
      for (const memory of [undefined, BlockMemory.for(paddedLength(query.length), others.length) as BlockMemory]) {
        // The second lies behind another.
        if (memory !== undefined) expect([memory.take(), memory.take()]).toEqual([0, 1]);
        const block = new PackedBlock(others.length, query.length, memory && { memory, at: 1 });
        for (const vector of others) block.add(Float64Array.from(vector));
        for (const bound of [Number.POSITIVE_INFINITY, ...distances]) {
          const met = new Map<number, readonly [distance: number, error: number]>();
          new Screen(metric, query, kernels).run(block, {
            bound,
            take: (at, distance, error) => met.set(at, [distance, error]),
          });
          // What isn't a number comes after all that are.
          distances.forEach((each, at) => {
            const [distance, error] = met.get(at) ?? [each, 0];
            expect(met.has(at) || each > bound).toBe(true);
            expect(Math.abs(distance - each) > error).toBe(false);
          });
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('measure more than fits the memory of the module, and vectors that do not fit it', () => {
  for (const [width, count] of [
    [8, 40_000],
    [70_000, 2],
    [200_000, 1],
  ] as const) {
    const query = new Float32Array(width).fill(1);
    const rows = Float32Array.from({ length: width * count }, (_, at) => Math.floor(at / width) % 7);
    for (const name of ['squaredEuclidean', 'dotProduct', 'manhattan'] as const) {
      const [one, other] = [simd, plainKernels].map((kernels) => {
        const out = new Float32Array(count);
        kernels[name](query, rows, out);
        return out;
      });
      expect(one).toEqual(other);
    }
  }
});
