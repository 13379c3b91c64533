/** The files of the buckets of a database: the one place where they are read, written, and judged. */
import { andThen } from '../base/promise-or-value.js';
import type { BucketDefinition } from '../catalog/definitions/definition.js';
import { failure, TesseraError } from '../errors/error.js';
import type { FileListing, FilePut, LinkRequest, PutBounds, RestoredFile } from '../functions/calls/files.js';
import type { FileAction, Permission } from '../language/ast.js';
import { TYPE_PATTERN } from '../language/definitions/define-bucket.js';
import { parseRecordId } from '../language/parse.js';
import { selectedDatabase } from '../runtime/authorization/selected-database.js';
import { assertEffectsAllowed } from '../runtime/authorization/views.js';
import type { Execution } from '../runtime/execution.js';
import type {
  ExportedFile,
  FileLink,
  FileUpload,
  LinkMaker,
  OpenFile,
  ResumableUpload,
  TransferredFiles,
  UploadStart,
} from '../runtime/file-access.js';
import { cast } from '../value/cast.js';
import { quoteString } from '../value/text/quote.js';
import { toDatetime } from '../value/time/datetime.js';
import { FileReference, type ObjectValue, type RecordId } from '../value/value.js';
import {
  assertExpected,
  assertFits,
  assertTypeOfLink,
  typeByLink,
  typeOfPut,
  uploadHolder,
  uploadOf,
} from './bounds.js';
import { BucketRows } from './bucket-rows.js';
import { type BucketRules, isNeverAllowed } from './bucket-rules.js';
import { contentAddressOf } from './contents/address.js';
import { CHUNK, readStoredContent } from './contents/chunks.js';
import type { BucketPlace, ContentStores } from './contents/content-stores.js';
import { equalPieces } from './contents/pieces.js';
import { stagedName, storedBeside } from './contents/staged.js';
import { exportedFiles } from './exported-files.js';
import { assertFileKey, isFileKey } from './file-key.js';
import { digestText, type FileContent, type FileRow, NO_CONTENT, shownFile } from './file-row.js';
import { isSessionOver, keyMarksOf, sessionOfLink } from './link-session.js';
import {
  assertLink,
  incarnationOf,
  LONGEST_LINK,
  linkHolder,
  linkQuery,
  makerOfLink,
  recordOfLink,
  signLink,
} from './links.js';
import { mediaTypeOf } from './media-type.js';
import { PutContents } from './put-contents.js';
import { UploadInParts } from './uploads/resumable-upload.js';

/** A bucket as a statement reaches it. */
interface Site {
  readonly bucket: BucketDefinition;
  readonly place: BucketPlace;
  readonly rows: BucketRows;
}

/** A file that was asked for. */
interface Found {
  readonly site: Site;
  readonly row: FileRow | undefined;
}

const SECOND = 1_000_000_000n;
/** Seconds. */
const DAY = 24 * 3600;

/** As one statement or transport reaches them, in its transaction and with the rights of its user. */
export class FilesOfExecution implements TransferredFiles {
  readonly #execution: Execution;
  readonly #stores: ContentStores;
  readonly #contents: PutContents;
  readonly #rules: BucketRules;

  constructor(execution: Execution, stores: ContentStores, rules: BucketRules) {
    this.#execution = execution;
    this.#stores = stores;
    this.#contents = new PutContents(execution, stores);
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
    const type = typeOfPut(key, given);
    if (bytes === undefined) {
      const { upload = '' } = given;
      return this.#putAs(site, key, await this.#contents.taken(site.rows, upload), type, given, before);
    }
    if (piece !== undefined) {
      const start = this.#newRow(key, { ...NO_CONTENT, size: piece.size }, type, restored);
      if (!(await this.#mayBePut(site, start, given, before))) return undefined;
      const whole = await this.#contents.added(site, start, given, piece, bytes);
      return whole && this.#putAs(site, key, whole, type, given, before);
    }
    const row = this.#newRow(key, await this.#contents.drawn(bytes), type, restored);
    if (!(await this.#mayBePut(site, row, given, before))) return undefined;
    const content = await this.#contents.store(site, row.content, bytes);
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

  async delete(file: FileReference, expected?: string | false): Promise<undefined> {
    const { bucket: name, key } = file;
    const { bucket, rows } = await this.#siteToChange(name);
    assertFileKey(key);
    const row = await rows.get(key);
    await this.#rules.assertMay(this.#execution, 'delete', { bucket, key }, row && shownFile(name, row));
    assertExpected({ expected }, row);
    if (row === undefined) return;
    const { references } = this.#execution.services;
    await references.check(this.#execution, file);
    await rows.delete(row, this.#now);
    await references.settle(this.#execution, file);
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
      return this.#contents.store(to, this.#stores.drawContent(), await this.#bytesOf(from, row));
    }
    const upload = uploadOf(this.#execution.identity, to.bucket);
    const staged = await this.#stores.stage(to.place, this.#pieces(from, row), upload);
    this.#contents.keepStaged(to.rows, staged);
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
    await this.#execution.services.references.follow(this.#execution, file, target);
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
    if (isNeverAllowed(this.#execution, 'list', bucket)) throw failure('file_denied', { action: 'list', bucket: name });
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
    const site = await this.#site(file.bucket);
    if (!isFileKey(file.key)) return false;
    const asked = { bucket: site.bucket, key: file.key, target };
    for (const facts of await this.#documentsOf(site, file.key, action))
      if (!(await this.#rules.may(this.#execution, action, asked, facts))) return false;
    return true;
  }

  async holds(clause: Permission, file: FileReference, action: FileAction, target?: FileReference): Promise<boolean> {
    const site = await this.#site(file.bucket);
    const asked = { bucket: site.bucket, key: file.key, target };
    for (const facts of await this.#documentsOf(site, file.key, action))
      if (!(await this.#rules.holds(this.#execution, clause, action, asked, facts))) return false;
    return true;
  }

  /** Of what the rule of an action is asked: the file as it is, and where it is put as it would be without bytes. */
  async #documentsOf({ bucket, rows }: Site, key: string, action: FileAction): Promise<(ObjectValue | undefined)[]> {
    const row = await rows.get(key);
    const facts = row && shownFile(bucket.name, row);
    if (action !== 'put') return [facts];
    const after = shownFile(bucket.name, this.#newRow(key, NO_CONTENT, mediaTypeOf(key)));
    return facts === undefined ? [after] : [after, facts];
  }

  async url(file: FileReference, { method, seconds, type, size, endsWithSession }: LinkRequest): Promise<string> {
    if (!(seconds >= 1 && seconds <= LONGEST_LINK)) throw failure('file_link_time', { most: LONGEST_LINK / DAY });
    const { bucket } = method === 'PUT' ? await this.#toBeLinked(file, type) : (await this.#found(file, 'get')).site;
    const { identity, services } = this.#execution;
    const {
      expires = Number.POSITIVE_INFINITY,
      keyMark,
      ...ending
    } = endsWithSession ? await sessionOfLink(this.#execution) : {};
    const until = Math.min(Math.floor(Number(this.#now / SECOND)) + seconds, expires);
    const content = { method, until, ...linkHolder(identity, method), type, size, ...ending };
    const incarnation = await incarnationOf(this.#execution, identity.auth);
    const link = { ...content, signature: signLink({ bucket, key: file.key, incarnation, keyMark }, content) };
    const { namespace, database } = selectedDatabase(this.#execution);
    const path = [namespace, database, file.bucket, ...file.key.slice(1).split('/')].map(encodeURIComponent).join('/');
    return `${services.publicUrls[0] ?? ''}/files/${path}?${linkQuery(link)}`;
  }

  /** The bucket of a file, if such a file may be put. That of the link that puts it is judged again. */
  async #toBeLinked(file: FileReference, only: string | undefined): Promise<Site> {
    assertEffectsAllowed(this.#execution, 'link to put a file');
    if (only !== undefined && !TYPE_PATTERN.test(only))
      throw failure('file_type_malformed', { type: quoteString(only.slice(0, 100)) });
    const site = await this.#site(file.bucket);
    assertChangeable(site.bucket);
    assertFileKey(file.key);
    const type = typeByLink(undefined, { type: only }) ?? mediaTypeOf(file.key);
    await this.#assertMayPut(site, this.#newRow(file.key, NO_CONTENT, type), await site.rows.get(file.key));
    return site;
  }

  /** The bucket of a file by a link to it, by which any client may ask. @throws TesseraError `file_link` */
  async #linked(file: FileReference, link: FileLink, method: FileLink['method']): Promise<Site> {
    const site = await this.#site(file.bucket).catch((error: unknown) => {
      // That there is no such bucket is for those who have a link to a file in it.
      throw isMissing(error) ? failure('file_link') : error;
    });
    const record = recordOfLink(link);
    const incarnation = await incarnationOf(this.#execution, record);
    const keyMarks = link.session === undefined ? [] : await keyMarksOf(this.#execution, link.access);
    assertLink(link, { bucket: site.bucket, key: file.key, incarnation }, keyMarks, Number(this.#now / SECOND));
    const isOver = record !== undefined && (await this.#isOver(record, link));
    if (link.method !== method || isOver) throw failure('file_link');
    return site;
  }

  /** Whether that with which a link ends is over: its record, and the session of that if it names one. */
  async #isOver(record: RecordId, link: FileLink): Promise<boolean> {
    if (!(await this.#execution.services.writer.exists(this.#execution, record))) return true;
    return link.session !== undefined && isSessionOver(this.#execution, record, link);
  }

  async makerOf(file: FileReference, link: FileLink): Promise<LinkMaker> {
    await this.#linked(file, link, 'PUT');
    return makerOfLink(link);
  }

  async open(file: FileReference, link?: FileLink): Promise<OpenFile | undefined> {
    const { site, row } = link === undefined ? await this.#found(file, 'get') : await this.#foundByLink(file, link);
    if (row === undefined) return undefined;
    const contents = this.#stores.of(site.place);
    return {
      facts: shownFile(file.bucket, row),
      size: row.size,
      read: (from, to) => contents.read(row.content, from, to),
    };
  }

  async #foundByLink(file: FileReference, link: FileLink): Promise<Found> {
    const site = await this.#linked(file, link, 'GET');
    return { site, row: await site.rows.get(file.key) };
  }

  async upload(file: FileReference, given: string | undefined, bounds: PutBounds = {}): Promise<FileUpload> {
    const type = typeByLink(given, bounds);
    const { site, row, before } = await this.#toBePut(file, { type, length: 0, expected: undefined });
    assertTypeOfLink(row.type, bounds);
    const upload = uploadOf(this.#execution.identity, site.bucket, bounds);
    return {
      type: row.type,
      replaces: before !== undefined,
      store: async (bytes) => stagedName(await this.#stores.stage(site.place, bytes, upload)),
    };
  }

  async beginUpload(file: FileReference, given: UploadStart): Promise<ResumableUpload> {
    const { site, row } = await this.#toBePut(file, given);
    const { length, expected, metadata } = given;
    const { key, type } = row;
    const begun = { key, type, length, expected, metadata, holder: uploadHolder(this.#execution.identity) };
    return UploadInParts.begin(this.#stores, site.place, begun);
  }

  async resumeUpload(bucket: string, id: string): Promise<ResumableUpload> {
    const { place } = await this.#siteToChange(bucket);
    const { transaction } = this.#execution.context;
    return UploadInParts.find(transaction, this.#stores, place, { id, holder: uploadHolder(this.#execution.identity) });
  }

  /** A file as it is to be put, if it may be, and the one that it replaces. */
  async #toBePut(file: FileReference, { type, length, expected }: Omit<UploadStart, 'metadata'>) {
    const site = await this.#siteToChange(file.bucket);
    assertFileKey(file.key);
    const before = await site.rows.get(file.key);
    const content = { ...NO_CONTENT, size: length };
    const row = this.#newRow(file.key, content, typeOfPut(file.key, { type, data: undefined }));
    await this.#assertMayPut(site, row, before);
    assertExpected({ expected }, before);
    await assertFits(site, row, before);
    return { site, row, before };
  }

  /** A file, if the principal may do something with it that changes nothing. */
  async #found({ bucket: name, key }: FileReference, action: FileAction): Promise<Found> {
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
    if (restored === undefined) assertChangeable(site.bucket);
    return site;
  }
}

const BYTES = { kind: 'bytes' } as const;

function isMissing(error: unknown): boolean {
  return error instanceof TesseraError && (error.code === 'bucket_missing' || error.code === 'database_empty');
}

/** @throws TesseraError `bucket_read_only` */
function assertChangeable({ name, readonly }: BucketDefinition): void {
  if (readonly) throw failure('bucket_read_only', { name });
}
