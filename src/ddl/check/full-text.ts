/** Checks full-text indexes: their terms of each record against the terms of its texts. */
import { AT_ONCE } from '../../base/work/work.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { AnalyzerDefinition } from '../../catalog/definitions/definition.js';
import { encodedKeyOf } from '../../catalog/keys/store-keys.js';
import type { KeptIndex } from '../../records/index/contract.js';
import { indexedValue } from '../../records/index/full-text.js';
import { keptIndexes } from '../../records/index/maintain.js';
import { digestOf, type IndexDigests, readDigests } from '../../search/segments/digest.js';
import { Analyzer } from '../../search/text/analyzer.js';
import { type DocumentTerms, keptTerms } from '../../search/text/document-terms.js';
import { textsOf } from '../../search/text/indexed-texts.js';
import type { Transaction } from '../../storage/contract.js';
import { decodeKey } from '../../value/codecs/key-codec.js';
import { toText } from '../../value/text/text.js';
import { isObject, type ObjectValue, RecordId, type RecordKey } from '../../value/value.js';
import type { Faults } from './fault.js';
import { batchesOf, type CheckProgress, tableLabel } from './tables.js';

/** The full-text indexes of a table that are ready. */
export function fullTextIndexes(table: TableEntry): readonly KeptIndex[] {
  return keptIndexes(table).filter(
    ({ definition: { indexKind, state } }) => indexKind.kind === 'fulltext' && state === undefined,
  );
}

/** Compares the full-text indexes of a table with its records, by digests of the terms of each document. */
export async function checkFullText(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  table: TableEntry,
  faults: Faults,
  progress: CheckProgress,
): Promise<void> {
  for (const index of fullTextIndexes(table)) {
    const place = tableLabel(catalog, table, index.definition);
    const held = await digestsOf(transaction, index);
    if (held === undefined) faults.add('indexes', place, 'what is stored of it can’t be read');
    else {
      if (!held.agrees) faults.add('indexes', place, 'it counts other documents than it holds');
      await compare(transaction, catalog, table, index, held, faults, progress);
    }
  }
}

async function digestsOf(transaction: Transaction, { prefix }: KeptIndex): Promise<IndexDigests | undefined> {
  try {
    return await readDigests(transaction, prefix);
  } catch (error) {
    // Decoding damaged bytes may fail in any way.
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

async function compare(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  table: TableEntry,
  index: KeptIndex,
  { digests }: IndexDigests,
  faults: Faults,
  progress: CheckProgress,
): Promise<void> {
  const place = tableLabel(catalog, table, index.definition);
  const analyzer = analyzerOf(catalog, index);
  let listed = 0;
  for await (const batch of batchesOf(transaction, table.keys.records)) {
    for (const [key, record] of batch) {
      const encoded = encodedKeyOf(key);
      const held = digests.get(encoded);
      if (held !== undefined) listed++;
      if (!isObject(record)) continue;
      const id = toText(new RecordId(table.definition.name, decodeKey(encoded).value as RecordKey));
      const expected = analyzer && (await termsOf(analyzer, index, record));
      if (held === undefined) faults.add('indexes', place, `${id} isn’t listed`);
      else if (expected !== undefined && digestOf(expected) !== held)
        faults.add('indexes', place, `${id} is listed with other words than it has`);
    }
    progress(batch.length);
  }
  if (listed < digests.size)
    faults.add('indexes', place, `${digests.size - listed} records are listed that aren’t there`);
}

/** `undefined` if the analyzer needs more than the text: a FUNCTION, or files. */
function analyzerOf({ analyzers }: DatabaseCatalog, { definition }: KeptIndex): Analyzer | undefined {
  const { indexKind } = definition;
  const analyzer: AnalyzerDefinition | undefined =
    indexKind.kind === 'fulltext' ? analyzers.get(indexKind.analyzer) : undefined;
  if (analyzer === undefined || analyzer.function !== undefined) return undefined;
  if (analyzer.filters.some(({ kind }) => kind === 'mapper')) return undefined;
  return new Analyzer(analyzer, () => new Map());
}

async function termsOf(analyzer: Analyzer, index: KeptIndex, record: ObjectValue): Promise<DocumentTerms> {
  const texts = textsOf(indexedValue(index, record));
  if (analyzer.isShort(texts)) return keptTerms(analyzer.countShort(texts));
  const counts = new Map<string, number>();
  let length = 0;
  for (const text of texts) {
    await analyzer.terms(text, AT_ONCE, (term) => {
      length++;
      counts.set(term, (counts.get(term) ?? 0) + 1);
    });
  }
  return { length, counts };
}
