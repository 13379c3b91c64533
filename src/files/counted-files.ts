/** The files of buckets, with each action counted by its outcome. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { TesseraError } from '../errors/error.js';
import type { FileListing, FilePut, LinkRequest, PutBounds } from '../functions/calls/files.js';
import type { FileAction, Permission } from '../language/ast.js';
import type { FileMetrics } from '../metrics/file-metrics.js';
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
import type { FileReference, ObjectValue } from '../value/value.js';

export class CountedFiles implements TransferredFiles {
  readonly #files: TransferredFiles;
  readonly #metrics: FileMetrics;

  constructor(files: TransferredFiles, metrics: FileMetrics) {
    this.#files = files;
    this.#metrics = metrics;
  }

  put(file: FileReference, given: FilePut): Promise<undefined> {
    return this.#counted('put', this.#files.put(file, given));
  }

  get(file: FileReference): Promise<Uint8Array | undefined> {
    return this.#counted('get', this.#files.get(file));
  }

  head(file: FileReference): Promise<ObjectValue | undefined> {
    return this.#counted('head', this.#files.head(file));
  }

  delete(file: FileReference, expected: string | false | undefined): Promise<undefined> {
    return this.#counted('delete', this.#files.delete(file, expected));
  }

  copy(file: FileReference, target: FileReference, ifFree: boolean): Promise<undefined> {
    return this.#counted('copy', this.#files.copy(file, target, ifFree));
  }

  rename(file: FileReference, key: string, ifFree: boolean): Promise<undefined> {
    return this.#counted('rename', this.#files.rename(file, key, ifFree));
  }

  list(bucket: string, listing: FileListing): Promise<ObjectValue[]> {
    return this.#counted('list', this.#files.list(bucket, listing));
  }

  all(bucket: string, piece: number): AsyncIterable<ExportedFile> {
    return this.#files.all(bucket, piece);
  }

  open(file: FileReference, link?: FileLink): Promise<OpenFile | undefined> {
    return this.#counted('get', this.#files.open(file, link));
  }

  upload(file: FileReference, type: string | undefined, bounds?: PutBounds): Promise<FileUpload> {
    return this.#unlessRefused(this.#files.upload(file, type, bounds));
  }

  beginUpload(file: FileReference, given: UploadStart): Promise<ResumableUpload> {
    return this.#unlessRefused(this.#files.beginUpload(file, given));
  }

  resumeUpload(bucket: string, id: string): Promise<ResumableUpload> {
    return this.#files.resumeUpload(bucket, id);
  }

  url(file: FileReference, link: LinkRequest): PromiseOrValue<string> {
    return this.#files.url(file, link);
  }

  may(file: FileReference, action: FileAction, target: FileReference | undefined): PromiseOrValue<boolean> {
    return this.#files.may(file, action, target);
  }

  holds(clause: Permission, file: FileReference, action: FileAction, target?: FileReference): Promise<boolean> {
    return this.#files.holds(clause, file, action, target);
  }

  makerOf(file: FileReference, link: FileLink): Promise<LinkMaker> {
    return this.#files.makerOf(file, link);
  }

  async #counted<T>(action: FileAction, done: PromiseOrValue<T>): Promise<T> {
    try {
      const result = await done;
      this.#metrics.action(action, 'ok');
      return result;
    } catch (error) {
      this.#failed(action, error);
      throw error;
    }
  }

  /** What comes piece by piece is put later, and counted then. */
  async #unlessRefused<T>(begun: Promise<T>): Promise<T> {
    try {
      return await begun;
    } catch (error) {
      this.#failed('put', error);
      throw error;
    }
  }

  #failed(action: FileAction, error: unknown): void {
    const isDenied = error instanceof TesseraError && error.code === 'file_denied';
    this.#metrics.action(action, isDenied ? 'denied' : 'failed');
  }
}
