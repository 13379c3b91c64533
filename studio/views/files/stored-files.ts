/** The files of a bucket: read a page at a time, with keys that share a part up to a slash as one folder, and changed. */
import type { DateTime, FileRef, RecordId } from 'surrealdb';

/** As `file::head` shows it, with its key. */
export interface StoredFile {
  readonly key: string;
  readonly size: number;
  readonly type: string;
  readonly updated: DateTime;
  readonly owner?: RecordId;
}

export type Entry =
  | { readonly kind: 'folder' /** With the slash at its end. */; readonly key: string }
  | ({ readonly kind: 'file' } & StoredFile);

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** Where the next page begins; absent at the end. */
  readonly next?: string;
}

/** What answers statements with variables. */
export interface FileSource {
  query<Values extends unknown[]>(text: string, variables?: Readonly<Record<string, unknown>>): Promise<Values>;
}

export interface Place {
  readonly bucket: string;
  /** Begins and ends with a slash. */
  readonly folder: string;
  /** Of names in the folder. */
  readonly prefix: string;
}

/** Entries of a page, and files that are read at once. */
export const PAGE_SIZE = 100;
/** After each key of a folder, so that a list goes on behind it; all keys but those that begin with this very character. */
const LAST = '\u{10FFFF}';

const LIST = 'RETURN file::list($bucket, { prefix: $prefix, limit: $limit })';
const LIST_ON = 'RETURN file::list($bucket, { prefix: $prefix, limit: $limit, start: $start })';

/** The folders and files after `start`. Of a folder as many files are read as come at once, however many it has. */
export async function loadEntries(source: FileSource, place: Place, start?: string): Promise<EntryPage> {
  const entries: Entry[] = [];
  let position = start;
  for (;;) {
    const found = await list(source, place, position);
    for (const file of found) {
      const entry = entryOf(file, place.folder);
      if (entry.kind === 'folder' && entries.some(({ key }) => key === entry.key)) {
        if (file.key.startsWith(entry.key + LAST)) position = file.key;
        continue;
      }
      if (entries.length === PAGE_SIZE) return { entries, ...(position !== undefined && { next: position }) };
      entries.push(entry);
      position = entry.kind === 'folder' ? entry.key + LAST : entry.key;
    }
    if (found.length < PAGE_SIZE) return { entries };
  }
}

type Head = Omit<StoredFile, 'key'> & { readonly file: FileRef };

async function list(source: FileSource, place: Place, start: string | undefined): Promise<StoredFile[]> {
  const variables = { bucket: place.bucket, prefix: place.folder + place.prefix, limit: PAGE_SIZE };
  const [found] = await (start === undefined
    ? source.query<[Head[]]>(LIST, variables)
    : source.query<[Head[]]>(LIST_ON, { ...variables, start }));
  return found.map(fileOf);
}

function fileOf({ file, ...known }: Head): StoredFile {
  return { ...known, key: file.key };
}

function entryOf(file: StoredFile, folder: string): Entry {
  const slash = file.key.indexOf('/', folder.length);
  return slash === -1 ? { kind: 'file', ...file } : { kind: 'folder', key: file.key.slice(0, slash + 1) };
}

/** The last part of a key: `b.txt` of `/a/b.txt`, `a/` of `/a/`. */
export function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/', key.length - 2) + 1);
}

/** Where a file lies: `/a/` of `/a/b.txt`. */
export function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1);
}

/** `undefined` where there is no such file. @throws Error where the user may not know */
export async function loadFile(source: FileSource, bucket: string, key: string): Promise<StoredFile | undefined> {
  const [head] = await source.query<[Head | null | undefined]>('RETURN type::file($bucket, $key).head()', {
    bucket,
    key,
  });
  return head === undefined || head === null ? undefined : fileOf(head);
}

/** How long a link may last. */
export const LIFETIMES = { '10m': '10 minutes', '1h': 'An hour', '1d': 'A day', '7d': 'A week' } as const;
export type Lifetime = keyof typeof LIFETIMES;

/** An address of the file, good for anyone as long as it lasts. @throws Error if the user may not get the file */
export async function linkTo(source: FileSource, bucket: string, key: string, lifetime: Lifetime): Promise<string> {
  const text = `RETURN type::file($bucket, $key).url({ for: ${lifetime} })`;
  const [address] = await source.query<[string]>(text, { bucket, key });
  return address;
}

/** @throws Error if there is a file at that key, or the user may not */
export async function renameFile(source: FileSource, bucket: string, key: string, target: string): Promise<void> {
  await source.query(
    `{
      LET $file = type::file($bucket, $key);
      $file.rename_if_not_exists($target);
      IF file::may($file, 'head') AND $file.exists() { THROW 'There is a file of this name already' };
    }`,
    { bucket, key, target },
  );
}

/** All of them, or none. @throws Error if the user may not delete one of them */
export async function deleteFiles(source: FileSource, bucket: string, keys: readonly string[]): Promise<void> {
  await source.query('FOR $key IN $keys { type::file($bucket, $key).delete() }', { bucket, keys: [...keys] });
}
