/**
 * Full-text indexes. A writer notes the terms of a record, before and after, under a key of the record's own
 * (`search/segments/pending.ts`); what is noted is folded into segments in the background (`search/segments/fold.ts`).
 */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { TimeSlice } from '../../env/time-slice.js';
import { UNINDEXABLE, valueAt } from '../../index/value-at.js';
import { chargedWork } from '../../runtime/charged-work.js';
import type { Execution } from '../../runtime/execution.js';
import type { TextAnalyzer } from '../../runtime/text-analyzer.js';
import { addDocuments, foldPending } from '../../search/segments/fold.js';
import { GatheredSource } from '../../search/segments/gathered-source.js';
import { pendingPrefix } from '../../search/segments/layout.js';
import {
  NO_TERMS,
  type NotedTerms,
  noteCounted,
  noteTerms,
  readChange,
  storeChange,
} from '../../search/segments/pending.js';
import { gatherNotes, type OwnNote, segmentOfNotes } from '../../search/segments/unlisted-segments.js';
import { type DocumentTerms, keptTerms } from '../../search/text/document-terms.js';
import { textsOf } from '../../search/text/indexed-texts.js';
import { type KeyRange, TransactionLocal } from '../../storage/contract.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import type { ObjectValue, Value } from '../../value/value.js';
import { addWalked } from '../../value/walk.js';
import type { BulkBuild, IndexedChange, IndexKeeping, KeptIndex } from './contract.js';
import { countNote } from './noted-changes.js';

export const fullText: IndexKeeping = {
  maintain: (index, execution, changes) =>
    forEachInOrder(changes, (change) => andThen(note(index, execution, change), () => undefined)),
  build: (index, execution) => new SegmentBuild(index, execution),
  fold,
};

/** The value at the path of an index; NONE if the record alone doesn't determine it. */
export function indexedValue({ definition }: Pick<KeptIndex, 'definition'>, record: ObjectValue): Value {
  const found = valueAt(record, definition.fields[0]?.parts ?? []);
  return found === UNINDEXABLE ? undefined : found;
}

/** Texts as an analyzer sees them: its FUNCTION has been called. */
function sourcesOf({ source, isPlain }: TextAnalyzer, texts: readonly string[]): PromiseOrValue<readonly string[]> {
  return isPlain ? texts : mapInOrder(texts, source);
}

/** The terms of all texts of a value. @throws TesseraError what the analyzer throws */
export function documentTerms(
  execution: Execution,
  analyzer: TextAnalyzer,
  value: Value,
): PromiseOrValue<DocumentTerms> {
  return andThen(sourcesOf(analyzer, textsOf(value)), (texts) => countTerms(execution, analyzer, texts));
}

function countTerms(
  execution: Execution,
  { analyzer }: TextAnalyzer,
  texts: readonly string[],
): PromiseOrValue<DocumentTerms> {
  if (analyzer.isShort(texts)) return keptTerms(analyzer.countShort(texts));
  const counts = new Map<string, number>();
  let length = 0;
  const work = chargedWork(execution, () => counts.size);
  const add = (term: string): void => {
    length++;
    counts.set(term, (counts.get(term) ?? 0) + 1);
  };
  const done = execution.request.memory.within(() =>
    forEachInOrder(texts, (text) => andThen(analyzer.terms(text, work, add), () => undefined)),
  );
  return andThen(done, () => ({ length, counts }));
}

/** Work of noting a short text, in values visited: some ten microseconds. */
const WALKED_PER_NOTE = 512;

/** A record whose terms are gathered while they are noted. */
interface Gathering {
  readonly source: GatheredSource;
  /** Its encoded key. */
  readonly key: string;
}

/** The terms of a record in an index, to be noted. A value without texts needs no analyzer. */
function termsOfRecord(
  index: KeptIndex,
  execution: Execution,
  record: ObjectValue | undefined,
  gathering?: Gathering,
): PromiseOrValue<NotedTerms | undefined> {
  if (record === undefined) return undefined;
  const texts = textsOf(indexedValue(index, record));
  if (texts.length === 0) return noted(execution, NO_TERMS, gathering);
  return andThen(analyzerOf(index, execution), (analyzer) =>
    andThen(sourcesOf(analyzer, texts), (sources) => {
      if (analyzer.analyzer.isShort(sources)) {
        addWalked(WALKED_PER_NOTE);
        const counted = analyzer.analyzer.countShort(sources);
        gathering?.source.addCounted(gathering.key, counted);
        return noteCounted(counted);
      }
      return andThen(countTerms(execution, analyzer, sources), (terms) =>
        andThen(noteTerms(terms, execution.interrupt), (made) => noted(execution, made, gathering)),
      );
    }),
  );
}

function noted(execution: Execution, terms: NotedTerms, gathering: Gathering | undefined): PromiseOrValue<NotedTerms> {
  if (gathering === undefined) return terms;
  return andThen(gathering.source.add(gathering.key, terms, execution.interrupt), () => terms);
}

function analyzerOf({ definition: { indexKind } }: KeptIndex, execution: Execution): PromiseOrValue<TextAnalyzer> {
  return execution.services.analyzers.named(execution, indexKind.kind === 'fulltext' ? indexKind.analyzer : '');
}

/** Notes a change of a record. The old state of an earlier note stays, since the segments hold that. */
function note(index: KeptIndex, execution: Execution, { key, before, after }: IndexedChange): PromiseOrValue<void> {
  if (before !== undefined && after !== undefined && isSame(index, before, after)) return;
  const { transaction } = execution.context;
  const encoded = encodeKey(key);
  const place = pendingPrefix(index.prefix) + encoded;
  return andThen(transaction.get(place), (stored) => {
    const folded = stored === undefined ? termsOfRecord(index, execution, before) : readChange(stored).before;
    return andThen(folded, (old) => {
      const own = old === undefined && after !== undefined ? ownNotesOf(index, execution) : undefined;
      const gathering = own?.gathered && { source: own.gathered, key: encoded };
      return andThen(termsOfRecord(index, execution, after, gathering), (fresh) => {
        if (old === undefined && fresh === undefined) {
          transaction.delete(place);
          return;
        }
        const change = storeChange({ before: old, after: fresh });
        transaction.put(place, change);
        countNote(index, execution);
        if (own === undefined) return;
        const note = { key: encoded, stored: change, source: gathering?.source };
        return addNote(index, execution, own, note, fresh?.length ?? 0);
      });
    });
  });
}

function isSame(index: KeptIndex, before: ObjectValue, after: ObjectValue): boolean {
  return indexedValue(index, before) === indexedValue(index, after);
}

/** When changes, and segments of writers, are folded, and how many at once. */
const FOLD = { least: 64, most: 2_048, segments: 8 };

function fold({ prefix }: KeptIndex, execution: Execution): PromiseOrValue<boolean> {
  return foldPending(execution.context.transaction, prefix, FOLD, execution.interrupt);
}

/** Records that become segments at once. */
class SegmentBuild implements BulkBuild {
  readonly #index: KeptIndex;
  readonly #execution: Execution;
  /** Of the index, once there was a text. */
  #analyzer: TextAnalyzer | undefined;
  #source = new GatheredSource();
  #isBegun = false;

  constructor(index: KeptIndex, execution: Execution) {
    this.#index = index;
    this.#execution = execution;
  }

  add(changes: readonly IndexedChange[]): PromiseOrValue<void> {
    return forEachInOrder(changes, this.#add);
  }

  readonly #add = ({ key, after }: IndexedChange): PromiseOrValue<undefined> => {
    const gathered = this.#gather(encodeKey(key), after);
    return gathered instanceof Promise ? gathered.then(this.#next) : this.#next();
  };

  readonly #next = (): PromiseOrValue<undefined> => {
    const next = this.#source.isFull ? this.#write() : this.#execution.interrupt.checkpoint();
    return andThen(next, () => undefined);
  };

  #gather(key: string, record: ObjectValue | undefined): PromiseOrValue<void> {
    const texts = textsOf(record && indexedValue(this.#index, record));
    if (texts.length === 0) return this.#source.add(key, NO_TERMS, this.#execution.interrupt);
    if (this.#analyzer !== undefined) return this.#gatherTexts(key, texts, this.#analyzer);
    return andThen(analyzerOf(this.#index, this.#execution), (analyzer) => {
      this.#analyzer = analyzer;
      return this.#gatherTexts(key, texts, analyzer);
    });
  }

  #gatherTexts(key: string, given: readonly string[], text: TextAnalyzer): PromiseOrValue<void> {
    const { analyzer, isPlain } = text;
    if (isPlain && analyzer.isShort(given)) return this.#source.addCounted(key, analyzer.countShort(given));
    const work = this.#execution.interrupt;
    return andThen(sourcesOf(text, given), (texts) => {
      if (analyzer.isShort(texts)) return this.#source.addCounted(key, analyzer.countShort(texts));
      return andThen(countTerms(this.#execution, text, texts), (terms) =>
        andThen(noteTerms(terms, work), (noted) => this.#source.add(key, noted, work)),
      );
    });
  }

  finish(keys?: KeyRange): PromiseOrValue<void> {
    const cleared = keys === undefined ? undefined : this.#clear(keys);
    const isLeft = this.#source.documents.length > 0 || !this.#isBegun;
    return andThen(cleared, () => (isLeft ? this.#write() : undefined));
  }

  #clear({ from, to }: KeyRange): PromiseOrValue<void> {
    const prefix = pendingPrefix(this.#index.prefix);
    const range = { from: prefix + from, to: to === '' ? prefixRange(prefix).to : prefix + to };
    return this.#execution.context.transaction.deleteRange(range, this.#execution.interrupt);
  }

  #write(): PromiseOrValue<void> {
    const { transaction } = this.#execution.context;
    const source = this.#source;
    this.#source = new GatheredSource();
    this.#isBegun = true;
    return addDocuments(transaction, this.#index.prefix, source, this.#execution.interrupt);
  }
}

// What a transaction has noted in a full-text index. When it is committed, it makes a segment of many new records,
// instead of the notes, which a fold would have to read again.

/**
 * So many new records of a transaction make a segment. Up to there they are noted alone, and read out of their notes
 * then; the terms of those that follow are gathered as well.
 */
const MANY = 128;
/** A segment is made before the commit of notes that take so many bytes. */
const MOST_BYTES = 4 * 2 ** 20;
/** Of a note, beside its terms. */
const OVERHEAD = 256;

/** What a transaction has noted in an index of new records, since it has made a segment of such. */
class OwnNotes {
  notes: OwnNote[] = [];
  /** The terms of all of them, once there are many; they take no more memory than the notes. */
  gathered: GatheredSource | undefined;
  isAwaited = false;
  bytes = 0;

  clear(): void {
    this.notes = [];
    this.gathered = undefined;
    this.bytes = 0;
  }
}

/** By the prefix of the index. */
const OWN_NOTES = new TransactionLocal<Map<string, OwnNotes>>();

/** `undefined` where a transaction makes no segments. */
function ownNotesOf(index: KeptIndex, { context: { transaction } }: Execution): OwnNotes | undefined {
  // What is noted while an index is built is void once the builder has come to the record.
  if (index.isBuilding) return undefined;
  const indexes = transaction.local(OWN_NOTES, () => new Map());
  let own = indexes.get(index.prefix);
  if (own === undefined) {
    own = new OwnNotes();
    indexes.set(index.prefix, own);
  }
  return own;
}

/** To be called once a writer has noted a new record. */
function addNote(
  index: KeptIndex,
  execution: Execution,
  own: OwnNotes,
  note: OwnNote,
  bytes: number,
): PromiseOrValue<void> {
  const { transaction } = execution.context;
  own.notes.push(note);
  own.bytes += bytes + note.key.length + OVERHEAD;
  if (own.bytes >= MOST_BYTES) return makeSegment(index, execution, own);
  if (own.notes.length !== MANY) return;
  if (!own.isAwaited) transaction.beforeCommit(() => makeSegment(index, execution, own));
  own.isAwaited = true;
  return beginGathering(execution, own);
}

function beginGathering(execution: Execution, own: OwnNotes): PromiseOrValue<void> {
  return andThen(gatherNotes(own.notes, execution.interrupt), (gathered) => {
    own.gathered = gathered;
  });
}

function makeSegment(
  { prefix }: KeptIndex,
  { context: { transaction }, services: { environment } }: Execution,
  own: OwnNotes,
): PromiseOrValue<void> {
  const { notes, gathered } = own;
  own.clear();
  const id = String.fromCharCode(...environment.random.bytes(16));
  // The statement may have ended long ago, with its time.
  const work = new TimeSlice(environment);
  return segmentOfNotes(transaction, prefix, { notes, gathered, least: MANY, id }, work);
}
