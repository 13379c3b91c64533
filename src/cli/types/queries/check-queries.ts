/** Checks statements against a schema, and finds out their types. */
import { type SourcePosition, TesseraError } from '../../../errors/error.js';
import type { DatabaseTypes, InferredQuery } from '../../../inference/infer.js';
import { parseQueryPlaced } from '../../../language/parse.js';
import { excerptAt, positionOf } from '../../../language/source-error.js';
import { typeText } from '../../../value/text/type-text.js';
import { terminalText } from '../../terminal-text.js';
import { isFunctionName } from '../identifiers.js';
import type { QuerySource } from './query-source.js';

/** A text with its types. */
export interface TypedQuery extends Pick<InferredQuery, 'results' | 'parameters'> {
  readonly source: QuerySource;
}

export interface CheckedQueries {
  /** Those that have a name, which no two have. */
  readonly queries: readonly (TypedQuery & { readonly name: string })[];
  /** What is wrong: `src/people.ts:3:10: …`, with the line. */
  readonly faults: readonly string[];
}

export function checkQueries(sources: readonly QuerySource[], types: DatabaseTypes): CheckedQueries {
  const faults: string[] = [];
  const queries = new Map<string, TypedQuery & { readonly name: string }>();
  for (const source of sources) {
    const typed = checkOne(source, types, faults);
    const { name } = source;
    if (typed === undefined || name === undefined) continue;
    const other = queries.get(name);
    if (other !== undefined && !isSame(other, typed))
      faults.push(
        `${terminalText(source.file)}: ${name} is the name of another query in ${terminalText(other.source.file)}`,
      );
    else if (source.values === undefined && !isFunctionName(name))
      faults.push(`${terminalText(source.file)}: ${terminalText(name)} can't be the name of a function`);
    else queries.set(name, { ...typed, name });
  }
  return { queries: [...queries.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), faults };
}

/** Templates may have one name if they are the same. */
function isSame(a: TypedQuery, b: TypedQuery): boolean {
  const text = ({ source, results }: TypedQuery) => `${source.text.trim()} ${results.map(typeText).join()}`;
  return a.source.values !== undefined && b.source.values !== undefined && text(a) === text(b);
}

function checkOne(source: QuerySource, types: DatabaseTypes, faults: string[]): TypedQuery | undefined {
  const { file, text } = source;
  const fault = ({ line, column }: SourcePosition, message: string) =>
    faults.push(`${terminalText(file)}:${line}:${column}: ${terminalText(message.trimEnd())}`);
  try {
    const { query, offsets } = parseQueryPlaced(text);
    const { results, parameters, faults: found } = types.infer(query);
    for (const { message, at } of found) {
      const start = offsets.get(at) ?? 0;
      const mark = { start, end: start + nameLength(text, start) };
      fault(positionOf({ source: text }, start), `${message}\n${excerptAt({ source: text }, mark)}`);
    }
    return { source, results, parameters };
  } catch (error) {
    if (!(error instanceof TesseraError) || error.position === undefined) throw error;
    fault(error.position, error.message);
    return undefined;
  }
}

const NAME = /`(?:[^`\\]|\\.)*`|⟨[^⟩]*⟩|[\p{ID_Continue}:]+/uy;

function nameLength(text: string, start: number): number {
  NAME.lastIndex = start;
  return NAME.exec(text)?.[0].length ?? 1;
}
