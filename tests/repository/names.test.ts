/** One name, one concept (`CONTRIBUTING.md`): an exported type, interface, class or function has its name for itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Syntax trees and plans have nodes of the same statements and clauses; a reader sees by the module which one is meant. */
const NODES = new Set(['Access', 'Aggregate', 'Bound', 'Delete', 'Filter', 'LiveQuery', 'Update', 'Upsert']);
/**
 * The same word for two things that never meet: the statement and the transaction it ends; a clause and a histogram;
 * memory and a priority queue; a statement and a geometry; a range of a text and of a trace; a compiled and a stored one.
 */
const APART = new Set(['Commit', 'Durations', 'EdgeDirection', 'Heap', 'Plan', 'Shape', 'Span']);
/** The same distance or norm of packed vectors (`vectors/`) and of arrays of numbers (`functions/vector/`). */
const SHARED = new Set(['hamming', 'magnitude', 'manhattan', 'minkowski']);

/** The files that export a name, by the names that a pattern finds. */
function filesByName(pattern: RegExp, isLookedAt: (file: string) => boolean): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || !isLookedAt(file)) continue;
    const names = readFileSync(join('src', file), 'utf8').matchAll(pattern);
    for (const name of new Set([...names].map(([, each = '']) => each))) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  return files;
}

test('exported types have names of their own', () => {
  const files = filesByName(/^export (?:abstract )?(?:type|interface|class) (\w+)/gm, () => true);
  expect(files.size).toBeGreaterThan(1_000);
  const shared = [...files].filter(([name, places]) => places.length > 1 && !NODES.has(name) && !APART.has(name));
  expect(Object.fromEntries(shared)).toEqual({});
});

/** Parser, printer and visitor name their functions after statements and clauses, so that each has its name in several stages. */
test('exported functions have names of their own, but for the stages of the language', () => {
  const files = filesByName(/^export (?:async )?function\*? (\w+)/gm, (file) => !file.startsWith('language/'));
  expect(files.size).toBeGreaterThan(1_500);
  const shared = [...files].filter(([name, places]) => places.length > 1 && !SHARED.has(name));
  expect(Object.fromEntries(shared)).toEqual({});
});
