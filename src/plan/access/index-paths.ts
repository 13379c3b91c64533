/**
 * The paths of an index's fields as texts, computed once for each definition: the search for an index compares them
 * often.
 */
import { Derived } from '../../base/derived.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import { printIdiom } from '../../language/print.js';

/** The paths of an index's fields as texts, as comparisons name them. */
export function indexPaths(index: IndexDefinition): readonly string[] {
  let paths = known.get(index);
  if (paths === undefined) {
    paths = index.fields.map((field) => printIdiom(field));
    known.set(index, paths);
  }
  return paths;
}

const known = new Derived<IndexDefinition, readonly string[]>();
