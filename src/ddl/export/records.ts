import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { valueCode } from '../../language/value-code.js';
import { edgeEntries } from '../../records/edges.js';
import { storedRecords } from '../../records/stored.js';
import type { Execution } from '../../runtime/execution.js';
import type { Key } from '../../storage/contract.js';
import { isObject, type ObjectValue, RecordId, type RecordKey } from '../../value/value.js';

/** Bounds of one INSERT: records, and approximate characters. */
const MOST_RECORDS = 1_000;
const MOST_CHARACTERS = 256 * 1024;

/** Characters written between two pauses: less than a millisecond. */
const CHARACTERS_AT_ONCE = 65_536;

/** The records of a table as INSERT statements, a batch at a time; edges apart from the others. */
export async function* recordTexts(
  execution: Execution,
  catalog: DatabaseCatalog,
  table: TableEntry,
): AsyncGenerator<string> {
  const cursor = storedRecords(execution, table);
  const batch = new Batch();
  let written = 0;
  try {
    for (let entries = await cursor.next(); entries !== undefined; entries = await cursor.next()) {
      const records = entries.map(([, record]) => record).filter(isObject);
      const edges = await edgesAmong(execution, catalog, table, records);
      for (const record of records) {
        const text = valueCode(record);
        batch.add(text, edges.has(record));
        if (batch.isFull) yield batch.take();
        written += text.length;
        if (written < CHARACTERS_AT_ONCE) continue;
        written = 0;
        await execution.interrupt.checkpoint();
      }
      await execution.interrupt.checkpoint();
    }
    yield batch.take();
  } finally {
    cursor.close();
  }
}

class Batch {
  #records: string[] = [];
  #edges: string[] = [];
  #characters = 0;

  add(text: string, isEdge: boolean): void {
    (isEdge ? this.#edges : this.#records).push(text);
    this.#characters += text.length;
  }

  get isFull(): boolean {
    return this.#records.length + this.#edges.length >= MOST_RECORDS || this.#characters >= MOST_CHARACTERS;
  }

  take(): string {
    const text = insertion('INSERT', this.#records) + insertion('INSERT RELATION', this.#edges);
    [this.#records, this.#edges, this.#characters] = [[], [], 0];
    return text;
  }
}

function insertion(words: string, records: readonly string[]): string {
  return records.length === 0 ? '' : `${words} [ ${records.join(', ')} ];\n`;
}

/** Which of the records are edges: in a table for anything, those that can be found from their ends. */
async function edgesAmong(
  { context: { transaction } }: Execution,
  catalog: DatabaseCatalog,
  table: TableEntry,
  records: readonly ObjectValue[],
): Promise<ReadonlySet<ObjectValue>> {
  const { kind } = table.definition.tableKind;
  if (kind !== 'any') return new Set(kind === 'relation' ? records : []);
  const candidates: [record: ObjectValue, key: Key][] = [];
  for (const record of records) {
    const { id } = record;
    const [edge] = id instanceof RecordId ? edgeEntries(catalog, table, id.key as RecordKey, record) : [];
    if (edge !== undefined) candidates.push([record, edge[0]]);
  }
  if (candidates.length === 0) return new Set();
  const found = await transaction.getMany(candidates.map(([, key]) => key));
  return new Set(candidates.filter((_, at) => found[at] !== undefined).map(([record]) => record));
}
