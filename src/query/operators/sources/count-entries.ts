/** Counts the entries of an index, if there is one for each record that meets the condition. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../../catalog/definitions/database-catalog.js';
import { prefixRange } from '../../../catalog/keys/key-bytes.js';
import { indexPrefix } from '../../../catalog/keys/store-keys.js';
import { arrayEntries, overflowPrefix } from '../../../index/entries.js';
import type { CountEntries, FullTextScan, IndexScan } from '../../../plan/nodes.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { countMatches } from '../../../search/query/matches.js';
import { encodeOrder } from '../../../value/codecs/key-codec.js';
import { Datetime, RecordId, Uuid, type Value } from '../../../value/value.js';
import type { List, OperatorContext } from '../operator.js';
import { countedRow } from './count-records.js';
import { compileSearch } from './full-text-scan.js';
import { compileOperands, indexRangeOf } from './index-ranges.js';
import { unlessFailing } from './narrow.js';
import { requireTable } from './require-table.js';

/** Counts the entries of an index rather than records. Where the operands fail, `otherwise` counts rows. */
export function compileCountEntries({ table, access, item, otherwise }: CountEntries, context: OperatorContext): List {
  const { compiler } = context;
  const counted = unlessFailing(
    access.kind === 'full-text-scan' ? compileCountedMatches(access, compiler) : compileCounted(access, compiler),
  );
  const instead = context.list(otherwise);
  return (frame, demand) =>
    andThen(requireTable(frame.execution, table), ({ catalog, entry }) =>
      andThen(counted(frame, catalog, entry), (count): PromiseOrValue<readonly Value[]> => {
        if (count === undefined) return instead(frame, demand);
        return countedRow(frame.execution, count, item);
      }),
    );
}

/** The number of records that a full-text search finds, if terms alone decide that. */
function compileCountedMatches(scan: FullTextScan, compiler: Compiler) {
  const search = compileSearch(scan, compiler);
  return (frame: Frame, { database }: DatabaseCatalog, entry: TableEntry) =>
    andThen(search(frame, database.id, entry), (opened): PromiseOrValue<number | undefined> => {
      const { execution } = frame;
      return opened && countMatches(execution.context.transaction, opened, execution.interrupt);
    });
}

/**
 * A record has several entries if it has an array there, among them one for the array as a whole, or an overflow entry
 * if its value is unindexable. Without either, each record has one entry.
 */
function compileCounted(scan: IndexScan, compiler: Compiler) {
  const operands = compileOperands(scan, compiler);
  return (frame: Frame, { database }: DatabaseCatalog, entry: TableEntry) =>
    andThen(operands(frame), (values): PromiseOrValue<number | undefined> => {
      const { fixed, from, to } = values;
      const wanted = [...fixed, ...(scan.from ? [from] : []), ...(scan.to ? [to] : [])];
      const range = wanted.every(isScalar) ? indexRangeOf(scan, entry, values, database.id) : undefined;
      if (range === undefined) return undefined;
      const index = indexPrefix(database.id, entry.definition.id, scan.index.id);
      const arrays = scan.index.fields.map((_, at) =>
        arrayEntries(
          index +
            fixed
              .slice(0, at)
              .map((value) => encodeOrder(value))
              .join(''),
        ),
      );
      const { transaction } = frame.execution.context;
      return andThen(
        mapInOrder([prefixRange(overflowPrefix(index)), ...arrays], (others) => transaction.count(others)),
        (counts) => (counts.every((count) => count === 0) ? transaction.count(range) : undefined),
      );
    });
}

/** The range of a single value. */
function isScalar(value: Value): boolean {
  return typeof value !== 'object' || value instanceof RecordId || value instanceof Datetime || value instanceof Uuid;
}
