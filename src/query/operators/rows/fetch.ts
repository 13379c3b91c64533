/** FETCH as the last operator of a plan; `follow-links.ts` has how links are followed. */
import { andThen } from '../../../base/promise-or-value.js';
import type { Fetch } from '../../../plan/nodes.js';
import type { List, OperatorContext } from '../operator.js';
import { compileFetch } from './follow-links.js';

/** FETCH: replaces links by their records. */
export function compileFetchNode({ fields, input: below }: Fetch, context: OperatorContext): List {
  const input = context.list(below);
  const fetch = compileFetch(fields, context.compiler);
  return (frame, demand) => andThen(input(frame, demand), (rows) => fetch(frame, rows));
}
