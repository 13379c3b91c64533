/** One name, one concept (`CONTRIBUTING.md`): an exported type, interface or class has its name for itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Syntax trees and plans have nodes of the same statements and clauses; a reader sees by the module which one is meant. */
const NODES = new Set(['Access', 'Aggregate', 'Bound', 'Delete', 'Filter', 'LiveQuery', 'Update', 'Upsert']);
/**
 * The same word for two things that never meet: the statement and the transaction it ends; a clause and a histogram;
 * memory and a priority queue; a statement and a geometry; a range of a text and of a trace; a compiled and a stored one.
 */
const APART = new Set(['Commit', 'Durations', 'EdgeDirection', 'Heap', 'Pause', 'Plan', 'Shape', 'Span']);

test('exported types have names of their own', () => {
  const files = new Map<string, string[]>();
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const text = readFileSync(join('src', file), 'utf8');
    const names = text.matchAll(/^export (?:abstract )?(?:type|interface|class) (\w+)/gm);
    for (const name of new Set([...names].map(([, each = '']) => each))) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  expect(files.size).toBeGreaterThan(1_000);
  const shared = [...files].filter(([name, places]) => places.length > 1 && !NODES.has(name) && !APART.has(name));
  expect(Object.fromEntries(shared)).toEqual({});
});
