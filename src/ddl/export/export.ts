/**
 * A database as text that an import reads, in the peer's format:
 *
 *     -- ------------------------------
 *     -- TABLE DATA: person
 *     -- ------------------------------
 *
 *     INSERT [ { id: person:1, name: 'Tobie' } ];
 *
 * Definitions come first, then the files of each bucket, then for each table its definitions, its records, and the
 * indexes that have not been built.
 */
import { shownSubject } from '../../auth/ways/shown-identity.js';
import { wayRow } from '../../auth/ways/ways.js';
import { Identities, type IdentityGrant } from '../../catalog/credentials/identity.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { DatabaseDefinition, IndexDefinition, SequenceDefinition } from '../../catalog/definitions/definition.js';
import { stateOf } from '../../catalog/definitions/index-states.js';
import { type Definition, statementOf } from '../../catalog/definitions/stored-definition.js';
import { databaseArea, sequenceKey } from '../../catalog/keys/store-keys.js';
import { mayAct } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { AccessWay, Expression, Statement } from '../../language/ast.js';
import { type PrintOptions, printStatement } from '../../language/print.js';
import { valueCode, valueExpression } from '../../language/value-code.js';
import { VIEW_TOTALS } from '../../plan/effects.js';
import { groupTotals, outlivesSources, storedGroups } from '../../query/view/totals.js';
import { edgeEntries } from '../../records/edges.js';
import { storedRecords } from '../../records/stored.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Key } from '../../storage/contract.js';
import { isObject, type ObjectValue, objectFrom, RecordId, type RecordKey, type Value } from '../../value/value.js';
import { fileTexts } from './files.js';
import { EXPORT_SECTIONS, type ExportSelection, hasFiles } from './selection.js';

/**
 * The selected database, piece by piece, as the transaction shows it.
 *
 * Password hashes and keys are shown to principals who may set them; for all others they are `[REDACTED]`, as in INFO.
 * @throws TesseraError `not_allowed` for a principal who may not see all of it, `database_missing`
 */
export async function* exportDatabase(execution: Execution, selection: ExportSelection): AsyncGenerator<string> {
  const databasePath = selectedDatabase(execution);
  authorize(execution.identity, 'view', databasePath, 'Any');
  const catalog = await execution.context.catalog();
  if (catalog === undefined) throw failure('database_missing', { name: databasePath.database });
  const secrets = mayAct(execution.identity.principal, 'own', databasePath);
  yield `${heading('OPTION')}OPTION IMPORT;\n\n`;
  yield databaseText(catalog.database);
  for (const section of EXPORT_SECTIONS) {
    if (selection[section] === false) continue;
    const lines =
      section === 'sequences'
        ? await sequenceLines(execution, catalog)
        : definitionLines(catalog[section].values(), { secrets });
    if (lines !== '') yield `${heading(section.toUpperCase())}${lines}\n`;
  }
  if (hasFiles(selection)) {
    for (const { name } of catalog.buckets.values()) {
      yield heading(`FILES: ${oneLine(name)}`);
      yield* fileTexts(execution, name);
      yield '\n';
    }
  }
  for (const table of tablesOf(catalog, selection)) {
    yield tableText(table);
    if (selection.records !== false) {
      yield heading(`TABLE DATA: ${oneLine(table.definition.name)}`);
      yield* recordTexts(execution, catalog, table);
      yield* viewTotals(execution, catalog, table);
      yield '\n';
    }
    yield unbuiltIndexes(table);
  }
  if (secrets && selection.accesses !== false && selection.records !== false)
    yield* identityTexts(execution, catalog, selection);
}

/** Identities at a time. */
const IDENTITIES_AT_ONCE = 1_000;

/**
 * Who records are elsewhere, as the statements by which owners tie them; not those that can only be proved, nor those
 * of a provider that an access method no longer has.
 */
async function* identityTexts(
  execution: Execution,
  catalog: DatabaseCatalog,
  { tables = true }: ExportSelection,
): AsyncGenerator<string> {
  if (tables === false) return;
  const { transaction } = execution.context;
  const identities = new Identities(transaction, catalog.database.id);
  let isFirst = true;
  for (const { name, accessKind } of catalog.accesses.values()) {
    const way = accessKind.kind === 'record' ? accessKind.way : undefined;
    if (way === undefined) continue;
    for await (const batch of identities.batches(name, IDENTITIES_AT_ONCE)) {
      const taken = batch.filter(({ record }) => tables === true || tables.includes(record.table));
      const lines = taken.flatMap((identity) => linkText(identity, way) ?? []).join('');
      if (lines !== '' && isFirst) yield heading('IDENTITIES');
      if (lines !== '') isFirst = false;
      yield lines;
      await execution.interrupt.checkpoint();
    }
  }
  if (!isFirst) yield '\n';
}

function linkText(identity: IdentityGrant, way: AccessWay): string | undefined {
  const { access: name, record } = identity;
  const { linked, linkText: textOf } = wayRow(way);
  const subject = textOf === undefined ? shownSubject(identity).subject : textOf(identity);
  const isSame =
    subject !== undefined && identity.kind === way.kind && linked?.(way, subject, record)?.subject === identity.subject;
  if (!isSame) return undefined;
  const action = { kind: 'link', record: literal(record), subject } as const;
  return `${printStatement({ kind: 'access', name, level: 'database', action }, { secrets: true })};\n`;
}

/**
 * The clauses of the database itself, as a comment: an import goes into an existing database, under any
 * name, and the peer's importer has no place for them.
 */
function databaseText(database: DatabaseDefinition): string {
  const { strict, changefeed, comment } = database;
  if (!strict && changefeed === undefined && comment === undefined) return '';
  return `${heading('DATABASE')}-- ${oneLine(definitionLines([database], { secrets: true }).trim())}\n\n`;
}

/**
 * In the order of names, but those last that can't be built from their sources: by then it is known which these are.
 */
function tablesOf(catalog: DatabaseCatalog, { tables: selected = true }: ExportSelection): TableEntry[] {
  if (selected === false) return [];
  const { tables } = catalog;
  const named = selected === true ? undefined : new Set(selected);
  const names = [...tables.keys()].filter((name) => named?.has(name) ?? true);
  const sorted = names.sort().map((name) => tables.get(name) as TableEntry);
  const isLast = (table: TableEntry) => outlivesSources(catalog, table);
  return [...sorted.filter((table) => !isLast(table)), ...sorted.filter(isLast)];
}

function tableText({ definition, fields, indexes, events }: TableEntry): string {
  const groups = [[definition], fields, indexes.filter(isBuilt), events].map(
    (group) => `${definitionLines(group, { secrets: true })}\n`,
  );
  return `${heading(`TABLE: ${oneLine(definition.name)}`)}${groups.join('')}`;
}

function isBuilt(index: IndexDefinition): boolean {
  return stateOf(index) === 'ready';
}

/**
 * The indexes that aren't, or no longer, kept: they are built behind the records, whose values may not be unique, and
 * fail there as they have failed here.
 */
function unbuiltIndexes({ indexes }: TableEntry): string {
  const unbuilt = indexes.filter((index) => !isBuilt(index));
  if (unbuilt.length === 0) return '';
  return `${definitionLines(
    unbuilt.map((index) => ({ ...index, concurrently: true })),
    { secrets: true },
  )}\n`;
}

const RULE = `-- ${'-'.repeat(30)}\n`;

function heading(title: string): string {
  return `${RULE}-- ${title}\n${RULE}\n`;
}

/** A name as it can stand in a comment, which the end of a line would end. */
function oneLine(name: string): string {
  return name.replace(/\p{Cc}|[\u2028\u2029]/gu, ' ');
}

/**
 * The sequences of a database. A sequence with used numbers is first defined with its current number, then with its own
 * clauses, since it must not assign a number twice: OVERWRITE continues from the current number.
 */
async function sequenceLines(execution: Execution, { database, sequences }: DatabaseCatalog): Promise<string> {
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

/**
 * The running totals of a view that can't be built from its sources, a batch of groups at a time; nothing for all other
 * tables.
 */
async function* viewTotals(execution: Execution, catalog: DatabaseCatalog, table: TableEntry): AsyncGenerator<string> {
  if (!outlivesSources(catalog, table)) return;
  const view = table.definition.name;
  const cursor = storedGroups(execution, catalog, table);
  try {
    for (let entries = await cursor.next(); entries !== undefined; entries = await cursor.next()) {
      const groups = entries.map((entry) => groupTotals(entry, catalog, table));
      yield `LET $${VIEW_TOTALS} = ${valueCode(objectFrom({ view, groups }))};\n`;
      await execution.interrupt.checkpoint();
    }
  } finally {
    cursor.close();
  }
}

/** Definitions as statements, each on a line of its own. */
function definitionLines(definitions: Iterable<Definition>, options: PrintOptions): string {
  let lines = '';
  for (const definition of definitions) lines += `${definitionText(definition, options)};\n`;
  return lines;
}

function definitionText(definition: Definition, options: PrintOptions): string {
  const exact = holdsSecrets(definition) ? options : { secrets: true };
  return printStatement(exportable(definition), exact);
}

/** All others are printed as written, since the parts that INFO leaves out or fills in matter. */
function holdsSecrets(definition: Definition): boolean {
  if (definition.kind === 'define-config') return definition.config.kind === 'mail';
  return definition.kind === 'define-user' || definition.kind === 'define-access';
}

function exportable(definition: Definition): Statement {
  return definition.kind === 'define-param'
    ? { ...definition, value: valueExpression(definition.value) }
    : statementOf(definition);
}

/** Bounds of one INSERT: records, and approximate characters. */
const MOST_RECORDS = 1_000;
const MOST_CHARACTERS = 256 * 1024;

/** Characters written between two checkpoints: less than a millisecond. */
const CHARACTERS_AT_ONCE = 65_536;

/** The records of a table as INSERT statements, a batch at a time; edges apart from the others. */
async function* recordTexts(execution: Execution, catalog: DatabaseCatalog, table: TableEntry): AsyncGenerator<string> {
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
