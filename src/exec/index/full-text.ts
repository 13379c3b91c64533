/**
 * Full-text indexes. A writer notes the terms of a record, before and after, under a key of the record's own
 * (`search/pending.ts`); what is noted is folded into segments in the background (`search/fold.ts`).
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { prefixRange } from '../../catalog/keys.js';
import { UNINDEXABLE, valueAt } from '../../index/value-at.js';
import { addSegment, foldPending } from '../../search/fold.js';
import { textsOf } from '../../search/indexed-texts.js';
import { pendingPrefix } from '../../search/layout.js';
import { type DocumentTerms, type KeyedChange, readChange, storeChange } from '../../search/pending.js';
import type { KeyRange } from '../../storage/contract.js';
import { encodeKey } from '../../value/key-codec.js';
import type { ObjectValue, Value } from '../../value/value.js';
import type { Execution, TextAnalyzer } from '../runtime/execution.js';
import type { BulkBuild, IndexKeeping, KeptIndex, RecordChange } from './contract.js';
import { countNote } from './noted-changes.js';

export const fullText: IndexKeeping = {
  maintain: (index, execution, changes) =>
    forEachInOrder(changes, (change) => andThen(note(index, execution, change), () => undefined)),
  build: (index, execution) => new SegmentBuild(index, execution),
  fold,
};

/** What the path of an index leads to; NONE where the record alone doesn't determine it. */
export function indexedValue({ definition }: Pick<KeptIndex, 'definition'>, record: ObjectValue): Value {
  const found = valueAt(record, definition.fields[0]?.parts ?? []);
  return found === UNINDEXABLE ? undefined : found;
}

/** The terms of all texts of a value. @throws TesseraError what the analyzer throws */
export function documentTerms(
  execution: Execution,
  { analyzer, source }: TextAnalyzer,
  value: Value,
): PromiseOrValue<DocumentTerms> {
  const counts = new Map<string, number>();
  let length = 0;
  const pause = () => execution.interrupt.checkpoint();
  const add = (term: string): void => {
    length++;
    counts.set(term, (counts.get(term) ?? 0) + 1);
  };
  const done = forEachInOrder(textsOf(value), (text) =>
    andThen(source(text), (analyzed) => andThen(analyzer.terms(analyzed, pause, add), () => undefined)),
  );
  return andThen(done, () => ({ length, counts }));
}

const NO_TERMS: DocumentTerms = { length: 0, counts: new Map() };

/** The terms of a record in an index. What holds no texts needs no analyzer. */
function termsOfRecord(
  index: KeptIndex,
  execution: Execution,
  record: ObjectValue | undefined,
): PromiseOrValue<DocumentTerms | undefined> {
  if (record === undefined) return undefined;
  const value = indexedValue(index, record);
  if (textsOf(value).length === 0) return NO_TERMS;
  return andThen(analyzerOf(index, execution), (analyzer) => documentTerms(execution, analyzer, value));
}

function analyzerOf({ definition: { indexKind } }: KeptIndex, execution: Execution): PromiseOrValue<TextAnalyzer> {
  return execution.services.analyzers.named(execution, indexKind.kind === 'fulltext' ? indexKind.analyzer : '');
}

/** Notes a change of a record. What was noted before stays what the segments hold. */
function note(index: KeptIndex, execution: Execution, { key, before, after }: RecordChange): PromiseOrValue<void> {
  if (before !== undefined && after !== undefined && isSame(index, before, after)) return;
  const { transaction } = execution.context;
  const place = pendingPrefix(index.prefix) + encodeKey(key);
  return andThen(transaction.get(place), (stored) => {
    const folded = stored === undefined ? termsOfRecord(index, execution, before) : readChange(stored).before;
    return andThen(folded, (old) =>
      andThen(termsOfRecord(index, execution, after), (fresh) => {
        if (old === undefined && fresh === undefined) {
          transaction.delete(place);
          return;
        }
        transaction.put(place, storeChange({ before: old, after: fresh }));
        countNote(index, execution);
      }),
    );
  });
}

function isSame(index: KeptIndex, before: ObjectValue, after: ObjectValue): boolean {
  return indexedValue(index, before) === indexedValue(index, after);
}

/** So many changes are folded together, and no fewer. */
const FOLD = { least: 64, most: 2_048 };

function fold({ prefix }: KeptIndex, { context, interrupt }: Execution): PromiseOrValue<boolean> {
  return foldPending(context.transaction, prefix, FOLD, () => interrupt.checkpoint());
}

/** Documents of a segment as it is built, and their different terms together. */
const DOCUMENTS = 2_048;
const TERMS = 500_000;

/** Records that become segments at once. */
class SegmentBuild implements BulkBuild {
  readonly #index: KeptIndex;
  readonly #execution: Execution;
  #changes: KeyedChange[] = [];
  #terms = 0;
  #isBegun = false;

  constructor(index: KeptIndex, execution: Execution) {
    this.#index = index;
    this.#execution = execution;
  }

  add(changes: readonly RecordChange[]): PromiseOrValue<void> {
    return forEachInOrder(changes, ({ key, after }) =>
      andThen(termsOfRecord(this.#index, this.#execution, after), (terms) => {
        this.#changes.push({ key: encodeKey(key), before: undefined, after: terms });
        this.#terms += terms?.counts.size ?? 0;
        const isFull = this.#changes.length >= DOCUMENTS || this.#terms >= TERMS;
        return andThen(isFull ? this.#write() : this.#execution.interrupt.checkpoint(), () => false);
      }),
    );
  }

  finish(keys?: KeyRange): PromiseOrValue<void> {
    const cleared = keys === undefined ? undefined : this.#clear(keys);
    return andThen(cleared, () => (this.#changes.length > 0 || !this.#isBegun ? this.#write() : undefined));
  }

  #clear({ from, to }: KeyRange): PromiseOrValue<void> {
    const prefix = pendingPrefix(this.#index.prefix);
    const range = { from: prefix + from, to: to === '' ? prefixRange(prefix).to : prefix + to };
    return this.#execution.context.transaction.deleteRange(range);
  }

  #write(): PromiseOrValue<void> {
    const { context, interrupt } = this.#execution;
    const changes = this.#changes;
    this.#changes = [];
    this.#terms = 0;
    this.#isBegun = true;
    return addSegment(context.transaction, this.#index.prefix, changes, () => interrupt.checkpoint());
  }
}
