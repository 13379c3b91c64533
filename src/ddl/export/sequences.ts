import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { SequenceDefinition } from '../../catalog/definitions/definition.js';
import { databaseArea, sequenceKey } from '../../catalog/keys/store-keys.js';
import type { Expression, Statement } from '../../language/ast.js';
import { printStatement } from '../../language/print.js';
import type { Execution } from '../../runtime/execution.js';
import type { Value } from '../../value/value.js';
import { definitionLines } from './definitions.js';

/**
 * The sequences of a database. A sequence with used numbers is first defined with its current number, then with its own
 * clauses, since it must not assign a number twice: OVERWRITE continues from the current number.
 */
export async function sequenceLines(execution: Execution, { database, sequences }: DatabaseCatalog): Promise<string> {
  let lines = '';
  for (const sequence of sequences.values()) {
    const key = sequenceKey(databaseArea(database.id), sequence.identity);
    const last = await execution.context.transaction.get(key);
    lines += last === undefined ? definitionLines([sequence], { secrets: true }) : advanced(sequence, last);
  }
  return lines;
}

function advanced(sequence: SequenceDefinition, last: Value): string {
  const { name } = sequence;
  const statements: readonly Statement[] = [
    { ...sequence, batch: literal(1), start: literal(last) },
    { kind: 'return', value: { kind: 'call', path: 'sequence::nextval', args: [literal(name)] } },
    { ...sequence, mode: 'overwrite' },
  ];
  return statements.map((statement) => `${printStatement(statement, { secrets: true })};\n`).join('');
}

function literal(value: Value): Expression {
  return { kind: 'literal', value };
}
