/** The files of the buckets of a database: the one place where they are read, written, and judged. */
import { createHash } from 'node:crypto';
import { andThen } from '../base/promise-or-value.js';
import type { BucketDefinition } from '../catalog/definitions/definition.js';
import { failure, TesseraError } from '../errors/error.js';
import type { FileListing, FilePiece, FilePut, RestoredFile } from '../functions/calls/files.js';
import type { FileAction } from '../language/ast.js';
import { parseRecordId } from '../language/parse.js';
import { selectedDatabase } from '../runtime/authorization/selected-database.js';
import { assertEffectsAllowed } from '../runtime/authorization/views.js';
import type { Execution, FileAccess } from '../runtime/execution.js';
import type {
  ExportedFile,
  FileLink,
  FileUpload,
  OpenFile,
  ResumableUpload,
  TransferredFiles,
  UploadStart,
} from '../runtime/file-access.js';
import type { Compiler } from '../runtime/frame.js';
import { cast } from '../value/cast.js';
import { toText } from '../value/text/text.js';
import { toDatetime } from '../value/time/datetime.js';
import { FileReference, type ObjectValue, type RecordId } from '../value/value.js';
import { BucketRows } from './bucket-rows.js';
import { BucketRules } from './bucket-rules.js';
import { contentAddressOf, DATABASE, readContentAddress } from './contents/address.js';
import { CHUNK, putChunks, readStoredContent } from './contents/chunks.js';
import type { BucketPlace, ContentStores } from './contents/content-stores.js';
import { equalPieces } from './contents/pieces.js';
import { type StagedContent, stagedName, storedBeside, takeStaged } from './contents/staged.js';
import { exportedFiles } from './exported-files.js';
import { assertFileKey, isFileKey } from './file-key.js';
import { digestText, type FileRow, shownFile } from './file-row.js';
import { assertLink, LONGEST_LINK, linkQuery, signLink } from './links.js';
import { mediaTypeOf } from './media-type.js';
import {
  assertExpected,
  assertFits,
  type FileContent,
  mediaTypeToPut,
  NO_CONTENT,
  uploaderOf,
  uploadOf,
} from './put-checks.js';
import { addPiece, uploadOfKey } from './uploads/pieces.js';
import { endUpload, UploadInParts } from './uploads/resumable-upload.js';
import { deleteUploadRow } from './uploads/upload-row.js';

/** A bucket as a statement reaches it. */
interface Site {
  readonly bucket: BucketDefinition;
  readonly place: BucketPlace;
  readonly rows: BucketRows;
}

const SECOND = 1_000_000_000n;
/** Seconds. */
const DAY = 24 * 3600;
/** Nanoseconds before a content is deleted in which nothing more begins to use it. */
const LATEST = 300_000_000_000n;

export class Files implements FileAccess {
  readonly #stores: ContentStores;
  readonly #rules: BucketRules;

  constructor(compiler: Compiler, stores: ContentStores) {
    this.#stores = stores;
    this.#rules = new BucketRules(compiler);
  }

  of(execution: Execution): TransferredFiles {
    return new FilesOfExecution(execution, this.#stores, this.#rules);
  }

  async assertUsable(backend: string | undefined): Promise<void> {
    await this.#stores.assertUsable(backend === undefined ? DATABASE : readContentAddress(backend));
  }
}

class FilesOfExecution implements TransferredFiles {
  readonly #execution: Execution;
  readonly #stores: ContentStores;
  readonly #rules: BucketRules;

  constructor(execution: Execution, stores: ContentStores, rules: BucketRules) {
    this.#execution = execution;
    this.#stores = stores;
    this.#rules = rules;
  }

  get #now(): bigint {
    return this.#execution.services.environment.clock.now();
  }

  async put({ bucket: name, key }: FileReference, given: FilePut): Promise<undefined> {
    const { restored, piece } = given;
    const site = await this.#siteToChange(name, restored);
    assertFileKey(key);
    const before = await site.rows.get(key);
    const bytes = given.upload === undefined ? (cast(given.data, BYTES, parseRecordId) as Uint8Array) : undefined;
    const type = mediaTypeToPut(key, given);
    if (bytes === undefined) {
      const { upload = '' } = given;
      return this.#putAs(site, key, await this.#taken(site.rows, upload), type, given, before);
    }
    if (piece !== undefined) {
      const start = this.#newRow(key, { ...NO_CONTENT, size: piece.size }, type, restored);
      if (!(await this.#mayBePut(site, start, given, before))) return undefined;
      const whole = await this.#added(site, start, given, piece, bytes);
      return whole && this.#putAs(site, key, whole, type, given, before);
    }
    const row = this.#newRow(key, await this.#drawn(bytes), type, restored);
    if (!(await this.#mayBePut(site, row, given, before))) return undefined;
    const content = await this.#store(site, row.content, bytes);
    await site.rows.put({ ...row, content }, before, this.#now);
  }

  /** Puts a file whose bytes are stored. */
  async #putAs(
    site: Site,
    key: string,
    content: FileContent,
    type: string,
    given: FilePut,
    before: FileRow | undefined,
  ): Promise<undefined> {
    const row = this.#newRow(key, content, type, given.restored);
    if (await this.#mayBePut(site, row, given, before)) await site.rows.put(row, before, this.#now);
  }

  /**
   * Whether a file is put; not if there is one already that stays.
   * @throws TesseraError `file_denied`, `file_changed`, `file_digest`, `file_type`, `file_too_large`, `bucket_full`
   */
  async #mayBePut(site: Site, row: FileRow, given: FilePut, before: FileRow | undefined): Promise<boolean> {
    await this.#assertMayPut(site, row, before);
    if (given.ifFree && before !== undefined) return false;
    assertExpected(given, before);
    const { restored } = given;
    if (restored === undefined) await assertFits(site, row, before);
    else if (row.content !== '' && restored.digest !== digestText(row.digest)) throw failure('file_digest');
    return true;
  }

  /** Adds a piece of a file that comes in several; returns the whole with the last one. */
  async #added(
    { place, rows }: Site,
    { key, type, size }: FileRow,
    { expected }: FilePut,
    { at }: FilePiece,
    bytes: Uint8Array,
  ): Promise<FileContent | undefined> {
    const { transaction } = this.#execution.context;
    const holder = uploaderOf(this.#execution);
    const start = { key, type, length: size, expected, metadata: undefined, holder };
    const whole = await addPiece(this.#stores, place, start, at, bytes);
    if (whole === undefined) return undefined;
    // The upload was changed beside this transaction, as its bytes were stored.
    deleteUploadRow(transaction, rows.keys, { id: uploadOfKey(holder, key), holder });
    this.#keepStaged(rows, whole);
    return whole;
  }

  /** The content of an upload, which is over when the transaction commits. */
  async #taken({ keys }: BucketRows, name: string): Promise<FileContent> {
    const { transaction } = this.#execution.context;
    const { content, size, digest, of } = await takeStaged(transaction, keys, name, uploaderOf(this.#execution));
    if (of !== undefined) await endUpload(transaction, keys, of);
    return { content, size, digest };
  }

  async #drawn(bytes: Uint8Array): Promise<FileContent> {
    const hash = createHash('sha256');
    for (let at = 0; at < bytes.length; at += CHUNK) {
      hash.update(bytes.subarray(at, at + CHUNK));
      await this.#execution.interrupt.checkpoint();
    }
    return { content: this.#stores.drawContent(), size: bytes.length, digest: new Uint8Array(hash.digest()) };
  }

  /** Stores bytes that are in memory, and that the bucket takes; returns the id of their content. */
  async #store({ place, rows }: Site, drawn: string, bytes: Uint8Array): Promise<string> {
    const { transaction } = this.#execution.context;
    if (place.address.kind === 'database') {
      putChunks(transaction, rows.keys, drawn, bytes);
      return drawn;
    }
    const limit = { bytes: bytes.length, setting: 'MAXSIZE' };
    const staged = await this.#stores.stage(place, once(bytes), { holder: uploaderOf(this.#execution), limit });
    this.#keepStaged(rows, staged);
    return staged.content;
  }

  /**
   * A content that was stored for this transaction stays when it commits. The transaction doesn't see the note of it,
   * which is younger; nor does the sweeper take it before it is due.
   */
  #keepStaged({ keys }: BucketRows, staged: StagedContent): void {
    const { transaction } = this.#execution.context;
    storedBeside(transaction).add(staged.content);
    transaction.delete(keys.dueAt(staged.due, staged.content));
    transaction.beforeCommit(() => {
      if (this.#now > staged.due - LATEST) throw failure('file_upload_over');
    });
  }

  #newRow(key: string, { content, size, digest }: FileContent, type: string, restored?: RestoredFile): FileRow {
    const { updated, owner } = restored ?? { updated: toDatetime(this.#now), owner: this.#execution.identity.auth };
    return { key, content, size, digest, type, updated, owner };
  }

  /** A file may be put if it may be put as it will be, and as the one is that it replaces. */
  async #assertMayPut({ bucket }: Site, row: FileRow, before: FileRow | undefined): Promise<void> {
    const asked = { bucket, key: row.key };
    await this.#rules.assertMay(this.#execution, 'put', asked, shownFile(bucket.name, row));
    if (before !== undefined)
      await this.#rules.assertMay(this.#execution, 'put', asked, shownFile(bucket.name, before));
  }

  async get(file: FileReference): Promise<Uint8Array | undefined> {
    const { site, row } = await this.#found(file, 'get');
    if (row === undefined) return undefined;
    return this.#bytesOf(site, row);
  }

  async #bytesOf(site: Site, row: FileRow): Promise<Uint8Array> {
    this.#execution.request.memory.charge(row.size);
    const bytes = new Uint8Array(row.size);
    let filled = 0;
    for await (const piece of this.#pieces(site, row)) {
      this.#execution.interrupt.check();
      bytes.set(piece, filled);
      filled += piece.length;
    }
    return bytes;
  }

  async head(file: FileReference): Promise<ObjectValue | undefined> {
    const { row } = await this.#found(file, 'head');
    return row && shownFile(file.bucket, row);
  }

  async delete({ bucket: name, key }: FileReference, expected?: string | false): Promise<undefined> {
    const { bucket, rows } = await this.#siteToChange(name);
    assertFileKey(key);
    const row = await rows.get(key);
    await this.#rules.assertMay(this.#execution, 'delete', { bucket, key }, row && shownFile(name, row));
    assertExpected({ expected }, row);
    if (row !== undefined) await rows.delete(row, this.#now);
  }

  async copy(file: FileReference, target: FileReference, ifFree: boolean): Promise<undefined> {
    const isWithin = file.bucket === target.bucket;
    const to = await this.#siteToChange(target.bucket);
    const from = isWithin ? to : await this.#site(file.bucket);
    const moved = await this.#sourceOf(from, file, to, target, 'copy', ifFree);
    if (moved === undefined) return;
    const { row, after, before } = moved;
    if (isWithin) {
      await to.rows.putCopy(after, before, this.#now);
      return undefined;
    }
    const content = await this.#copied(from, row, to);
    await to.rows.put({ ...after, content }, before, this.#now);
  }

  /** The content of a file, stored in another bucket as well. */
  async #copied(from: Site, row: FileRow, to: Site): Promise<string> {
    if (row.size <= CHUNK) {
      return this.#store(to, this.#stores.drawContent(), await this.#bytesOf(from, row));
    }
    const upload = uploadOf(this.#execution, to.bucket);
    const staged = await this.#stores.stage(to.place, this.#pieces(from, row), upload);
    this.#keepStaged(to.rows, staged);
    return staged.content;
  }

  /**
   * The bytes of a file as the transaction sees it, which may have put it. What was stored outside of it is read there:
   * its snapshot is older.
   */
  #pieces({ place, rows }: Site, { content, size }: FileRow): AsyncIterable<Uint8Array> {
    const { transaction } = this.#execution.context;
    const isWithin = place.address.kind === 'database' && !storedBeside(transaction).has(content);
    return isWithin
      ? readStoredContent(transaction, { keys: rows.keys, name: place.name }, content, size)
      : this.#stores.of(place).read(content, 0, size);
  }

  async rename(file: FileReference, key: string, ifFree: boolean): Promise<undefined> {
    const site = await this.#siteToChange(file.bucket);
    const target = new FileReference(file.bucket, key);
    const moved = await this.#sourceOf(site, file, site, target, 'rename', ifFree);
    if (moved === undefined || key === file.key) return;
    await site.rows.rename(moved.row, key, moved.before, this.#now);
  }

  /** The file to copy or to rename, as it will be, and what it replaces; `undefined` if nothing is to be done. */
  async #sourceOf(
    from: Site,
    file: FileReference,
    to: Site,
    target: FileReference,
    action: 'copy' | 'rename',
    ifFree: boolean,
  ): Promise<{ row: FileRow; after: FileRow; before: FileRow | undefined } | undefined> {
    assertFileKey(file.key);
    assertFileKey(target.key);
    const row = await from.rows.get(file.key);
    const facts = row && shownFile(file.bucket, row);
    const asked = { bucket: from.bucket, key: file.key, target };
    await this.#rules.assertMay(this.#execution, action, asked, facts);
    if (action === 'copy') await this.#rules.assertMay(this.#execution, 'get', asked, facts);
    if (row === undefined) {
      if (ifFree) return undefined;
      throw failure('file_source_missing', { bucket: from.bucket.name, key: file.key });
    }
    const before = await to.rows.get(target.key);
    const owner = action === 'rename' ? row.owner : this.#execution.identity.auth;
    const after: FileRow = { ...row, key: target.key, owner };
    await this.#assertMayPut(to, after, before);
    if (ifFree && before !== undefined) return undefined;
    if (action === 'copy') await assertFits(to, after, before);
    return { row, after, before };
  }

  async list(name: string, listing: FileListing): Promise<ObjectValue[]> {
    const { bucket, rows } = await this.#site(name);
    if (this.#rules.isNever(this.#execution, 'list', bucket))
      throw failure('file_denied', { action: 'list', bucket: name });
    const { limit = Number.POSITIVE_INFINITY, start, prefix = '/' } = listing;
    const found: ObjectValue[] = [];
    if (limit === 0) return found;
    const { memory } = this.#execution.request;
    const after = start && FileReference.keyOf(start);
    await rows.each(FileReference.keyOf(prefix), after, this.#execution.interrupt, (row) => {
      const facts = shownFile(name, row);
      return andThen(this.#rules.may(this.#execution, 'list', { bucket, key: row.key }, facts), (isAllowed) => {
        if (!isAllowed) return false;
        memory.chargeCopies([facts]);
        return found.push(facts) >= limit;
      });
    });
    return found;
  }

  async *all(name: string, piece: number): AsyncGenerator<ExportedFile> {
    const { place, rows, ...site } = await this.#site(name);
    yield* exportedFiles(this.#stores, place, rows, (row) =>
      equalPieces(this.#pieces({ place, rows, ...site }, row), piece),
    );
  }

  async may(file: FileReference, action: FileAction, target: FileReference | undefined): Promise<boolean> {
    const { bucket, rows } = await this.#site(file.bucket);
    if (!isFileKey(file.key)) return false;
    const row = await rows.get(file.key);
    const facts = row && shownFile(file.bucket, row);
    const asked = { bucket, key: file.key, target };
    if (action === 'put') {
      const after = shownFile(file.bucket, this.#newRow(file.key, NO_CONTENT, mediaTypeOf(file.key)));
      if (!(await this.#rules.may(this.#execution, 'put', asked, after))) return false;
      if (facts === undefined) return true;
    }
    return this.#rules.may(this.#execution, action, asked, facts);
  }

  async url(file: FileReference, seconds: number): Promise<string> {
    if (!(seconds >= 1 && seconds <= LONGEST_LINK)) throw failure('file_link_time', { most: LONGEST_LINK / DAY });
    const { site } = await this.#found(file, 'get');
    const { namespace, database } = selectedDatabase(this.#execution);
    const { auth } = this.#execution.identity;
    const until = Math.floor(Number(this.#now / SECOND)) + seconds;
    const by = auth && toText(auth);
    const link = { until, by, signature: signLink({ bucket: site.bucket, key: file.key, until, by }) };
    const path = [namespace, database, file.bucket, ...file.key.slice(1).split('/')].map(encodeURIComponent).join('/');
    return `${this.#execution.services.publicUrls[0] ?? ''}/files/${path}?${linkQuery(link)}`;
  }

  /** A file by a link to it, by which any client may ask. */
  async #linked(file: FileReference, link: FileLink): Promise<{ site: Site; row: FileRow | undefined }> {
    const site = await this.#site(file.bucket).catch((error: unknown) => {
      // That there is no such bucket is for those who have a link to a file in it.
      throw isMissing(error) ? failure('file_link') : error;
    });
    assertLink(link, { bucket: site.bucket, key: file.key }, Number(this.#now / SECOND));
    if (link.by !== undefined && !(await this.#execution.services.writer.exists(this.#execution, recordOf(link.by))))
      throw failure('file_link');
    return { site, row: await site.rows.get(file.key) };
  }

  async open(file: FileReference, link?: FileLink): Promise<OpenFile | undefined> {
    const { site, row } = link === undefined ? await this.#found(file, 'get') : await this.#linked(file, link);
    if (row === undefined) return undefined;
    const contents = this.#stores.of(site.place);
    return {
      facts: shownFile(file.bucket, row),
      size: row.size,
      read: (from, to) => contents.read(row.content, from, to),
    };
  }

  async upload(file: FileReference, type: string | undefined): Promise<FileUpload> {
    const { site, before } = await this.#toBePut(file, { type, length: 0, expected: undefined });
    const upload = uploadOf(this.#execution, site.bucket);
    return {
      replaces: before !== undefined,
      store: async (bytes) => stagedName(await this.#stores.stage(site.place, bytes, upload)),
    };
  }

  async beginUpload(file: FileReference, given: UploadStart): Promise<ResumableUpload> {
    const { site, row } = await this.#toBePut(file, given);
    const { length, expected, metadata } = given;
    const { key, type } = row;
    const begun = { key, type, length, expected, metadata, holder: uploaderOf(this.#execution) };
    return UploadInParts.begin(this.#stores, site.place, begun);
  }

  async resumeUpload(bucket: string, id: string): Promise<ResumableUpload> {
    const { place } = await this.#siteToChange(bucket);
    const { transaction } = this.#execution.context;
    return UploadInParts.find(transaction, this.#stores, place, { id, holder: uploaderOf(this.#execution) });
  }

  /** A file as it is to be put, if it may be, and the one that it replaces. */
  async #toBePut(file: FileReference, { type, length, expected }: Omit<UploadStart, 'metadata'>) {
    const site = await this.#siteToChange(file.bucket);
    assertFileKey(file.key);
    const before = await site.rows.get(file.key);
    const content = { ...NO_CONTENT, size: length };
    const row = this.#newRow(file.key, content, mediaTypeToPut(file.key, { type, data: undefined }));
    await this.#assertMayPut(site, row, before);
    assertExpected({ expected }, before);
    await assertFits(site, row, before);
    return { site, row, before };
  }

  /** A file, if the principal may do something with it that changes nothing. */
  async #found(
    { bucket: name, key }: FileReference,
    action: FileAction,
  ): Promise<{ readonly site: Site; readonly row: FileRow | undefined }> {
    const site = await this.#site(name);
    assertFileKey(key);
    const row = await site.rows.get(key);
    await this.#rules.assertMay(this.#execution, action, { bucket: site.bucket, key }, row && shownFile(name, row));
    return { site, row };
  }

  /** @throws TesseraError `namespace_empty`, `database_empty`, `bucket_missing` */
  async #site(name: string): Promise<Site> {
    selectedDatabase(this.#execution);
    const catalog = await this.#execution.context.catalog();
    const bucket = catalog?.buckets.get(name);
    if (catalog === undefined || bucket === undefined) throw failure('bucket_missing', { name });
    const { identity } = bucket;
    const place = { database: catalog.database.id, identity, name, address: contentAddressOf(bucket) };
    return { bucket, place, rows: new BucketRows(this.#execution.context.transaction, place, this.#stores.process) };
  }

  /** A file that is restored is as it was, whatever the bucket takes by now. */
  async #siteToChange(name: string, restored?: RestoredFile): Promise<Site> {
    assertEffectsAllowed(this.#execution, 'change of a file');
    if (!this.#execution.writable) throw failure('read_only');
    const site = await this.#site(name);
    if (restored !== undefined && this.#execution.checks.edit) throw failure('file_restore');
    if (site.bucket.readonly && restored === undefined) throw failure('bucket_read_only', { name });
    return site;
  }
}

const BYTES = { kind: 'bytes' } as const;

function isMissing(error: unknown): boolean {
  return error instanceof TesseraError && (error.code === 'bucket_missing' || error.code === 'database_empty');
}

/** The record of a link that is signed. */
function recordOf(text: string): RecordId {
  const id = parseRecordId(text);
  if (id === undefined) throw failure('file_link');
  return id;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
