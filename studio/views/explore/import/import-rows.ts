/** Stores the rows of a file in batches. Of a batch that the server refuses, the rows are tried one by one. */
import { asError } from '../../../connection/as-error.js';
import type { StatementResult, StatementSource } from '../../../connection/statement-source.js';
import { identifier } from '../../../connection/surrealql.js';
import { STRICT } from '../../../connection/transaction.js';
import type { Mapping } from './column-types.js';
import { type CellOptions, fieldsOf, objectCode } from './row-code.js';
import type { Refusal, SourceRow } from './source-rows.js';

/** What happens to a row whose id is there already. */
export type Conflict = 'refuse' | 'skip' | 'replace' | 'merge';

export const CONFLICTS: Readonly<Record<Conflict, string>> = {
  refuse: 'Refuse the row, and report it',
  skip: 'Skip the row, and leave the one that is there',
  replace: 'Replace the one that is there',
  merge: 'Merge the row into the one that is there',
};

export interface Target {
  readonly table: string;
  readonly isRelation: boolean;
  readonly mappings: readonly Mapping[];
  readonly conflict: Conflict;
  readonly cells: CellOptions;
}

export interface Imported {
  readonly stored: number;
  readonly skipped: number;
  readonly refused: readonly Refusal[];
}

interface Options {
  /** Called after each batch with the outcome so far. */
  progress(so: Imported): void;
  readonly signal: AbortSignal;
}

const BATCH = 100;

/** A row and its object as code. */
interface CodedRow {
  readonly row: SourceRow;
  readonly code: string;
}

/** @throws Error if the connection is lost; what was stored until then is stored */
export async function importRows(
  source: Pick<StatementSource, 'run'>,
  target: Target,
  rows: readonly SourceRow[],
  { progress, signal }: Options,
): Promise<Imported> {
  let stored = 0;
  let skipped = 0;
  const refused: Refusal[] = [];
  for (let at = 0; at < rows.length && !signal.aborted; at += BATCH) {
    const coded = rows.slice(at, at + BATCH).flatMap((row) => {
      try {
        return [{ row, code: objectCode(fieldsOf(row, target.table, target.mappings, target.cells)) }];
      } catch (thrown) {
        refused.push({ reason: asError(thrown).message, row });
        return [];
      }
    });
    const outcome = await store(source, target, coded);
    stored += outcome.stored;
    skipped += coded.length - outcome.stored - outcome.refused.length;
    refused.push(...outcome.refused);
    progress({ stored, skipped, refused });
  }
  return { stored, skipped, refused };
}

type Source = Pick<StatementSource, 'run'>;

async function store(source: Source, target: Target, rows: readonly CodedRow[]): Promise<Omit<Imported, 'skipped'>> {
  if (rows.length === 0) return { stored: 0, refused: [] };
  const [all] = await runEach(source, [statementOf(target, rows)]);
  if (all?.ok === true) return { stored: Number(all.value), refused: [] };
  const outcomes = await runEach(
    source,
    rows.map((row) => statementOf(target, [row])),
  );
  let stored = 0;
  const refused: Refusal[] = [];
  for (const [at, outcome] of outcomes.entries()) {
    const { row } = rows[at] as CodedRow;
    if (outcome.ok) stored += Number(outcome.value);
    else refused.push({ reason: outcome.error.message, row });
  }
  return { stored, refused };
}

/** The outcome of each statement. One that can't be read fails alone: JSON has characters that SurrealQL hasn't. */
async function runEach(source: Source, statements: readonly string[]): Promise<readonly StatementResult[]> {
  try {
    const results = await source.run(`${STRICT}${statements.join(';\n')}`);
    return results.slice(-statements.length);
  } catch (thrown) {
    const error = asError(thrown);
    if (!/^Parse error/.test(error.message)) throw error;
    if (statements.length === 1) return [{ ok: false, error, time: '' }];
    const results: StatementResult[] = [];
    for (const statement of statements) results.push(...(await runEach(source, [statement])));
    return results;
  }
}

/** One transaction. Its value is how many rows were stored. */
function statementOf({ table, isRelation, conflict }: Target, rows: readonly CodedRow[]): string {
  const list = `[${rows.map(({ code }) => code).join(',\n')}]`;
  const insert = isRelation ? 'INSERT RELATION' : 'INSERT';
  const into = `INTO ${identifier(table)}`;
  if (conflict === 'skip') return `RETURN count((${insert} IGNORE ${into} ${list} RETURN VALUE id))`;
  if (conflict === 'refuse') return `{ ${insert} ${into} ${list} RETURN NONE; RETURN ${rows.length} }`;
  return `{
    FOR $row IN ${list} {
      IF $row.id != NONE AND record::exists($row.id) { UPDATE $row.id ${conflict.toUpperCase()} $row RETURN NONE }
      ELSE { ${insert} ${into} $row RETURN NONE }
    };
    RETURN ${rows.length}
  }`;
}
