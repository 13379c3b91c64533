/** Changes of files that follow each other, and what must be there of those that were acknowledged. */
import { NO_BACKENDS } from '../../../src/files/contents/content-stores.js';
import type { Session } from '../../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../../src/session/database/database.js';
import type { Engine } from '../../../src/storage/contract.js';
import { FileReference } from '../../../src/value/value.js';

export const BUCKETS = ['store', 'folder'] as const;
export const PREFIXES = ['a', 'b'] as const;
const SIZES = [10, 300_000, 1_200_000];

/** The numbers of the contents that the keys x and y of a writer have; 0: no file. */
export type Kept = readonly [x: number, y: number];

/** Opens the database of a store, whose bucket `folder` has its bytes beside it. */
export async function openFiles(engine: Engine, folder: string): Promise<{ database: OpenDatabase; session: Session }> {
  const database = await openDatabase(engine, { buckets: { ...NO_BACKENDS, folders: [folder] } });
  const session = database.ownerSession();
  await session.use('test', 'test');
  await done(
    session,
    `DEFINE BUCKET IF NOT EXISTS store; DEFINE BUCKET IF NOT EXISTS folder BACKEND 'file:${folder}/files'`,
  );
  return { database, session };
}

async function done(session: Session, text: string): Promise<void> {
  for (const { outcome } of await session.query(text)) if (!outcome.ok) throw outcome.error;
}

/** A content by its number, which says what it must be. */
function contentOf(number: number): Buffer {
  return Buffer.alloc(SIZES[number % SIZES.length] as number, `${number};`);
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

/** Changes two keys of a bucket, one after the other: `announce` is called before, with what they become. */
export async function changeFiles(
  session: Session,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  [x, y]: Kept,
  round: number,
  announce: (next: Kept) => void,
): Promise<Kept> {
  const name = (key: string) => `f"${bucket}:/${prefix}${key}"`;
  const to = async (next: Kept, text: string) => {
    announce(next);
    await done(session, text);
    return next;
  };
  const number = round + 1;
  switch (changeAt(round, [x, y])) {
    case 'put': {
      announce([number, y]);
      const upload = await session.uploadFile(new FileReference(bucket, `/${prefix}x`));
      const stored = await upload.store(inPieces(contentOf(number)));
      return to([number, y], `file::put(${name('x')}, NONE, { upload: '${stored}' })`);
    }
    case 'copy':
      return to([x, x], `${name('x')}.copy('${prefix}y')`);
    case 'upload': {
      announce([x, number]);
      const bytes = contentOf(number);
      const given = { length: bytes.length, type: undefined, expected: undefined, metadata: undefined };
      const upload = await session.beginUpload(new FileReference(bucket, `/${prefix}y`), given);
      const half = bytes.length >> 1;
      for (const part of [bytes.subarray(0, half), bytes.subarray(half)])
        await upload.append({
          bytes: inPieces(part),
          isWhole: false,
          put: ({ upload: stored }) => done(session, `file::put(${name('y')}, NONE, { upload: '${stored}' })`),
        });
      return [x, number];
    }
    case 'rename':
      return to([y, 0], `${name('y')}.rename('${prefix}x')`);
    case 'both':
      return to([number, x], `BEGIN; ${name('x')}.copy('${prefix}y'); ${name('x')}.put(${bytesText(number)}); COMMIT`);
    case 'delete':
      return to([0, y], `${name('x')}.delete()`);
  }
}

const CHANGES = ['put', 'copy', 'upload', 'rename', 'both', 'delete'] as const;

/** What needs a file that isn't there is another change. */
function changeAt(round: number, [x, y]: Kept): (typeof CHANGES)[number] {
  const change = CHANGES[round % CHANGES.length] ?? 'put';
  if (change === 'rename') return y === 0 ? 'upload' : change;
  return (change === 'copy' || change === 'both') && x === 0 ? 'put' : change;
}

function bytesText(number: number): string {
  return `b"${contentOf(number).toString('hex')}"`;
}

/** The numbers of the contents that a writer's keys have. @throws Error for a file that isn't whole */
export async function keptFiles(session: Session, bucket: string, prefix: string): Promise<Kept> {
  const found: number[] = [];
  for (const key of ['x', 'y']) {
    const file = await session.openFile(new FileReference(bucket, `/${prefix}${key}`));
    if (file === undefined) {
      found.push(0);
      continue;
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of file.read(0, file.size)) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const number = Number.parseInt(bytes.subarray(0, 10).toString(), 10);
    if (!bytes.equals(contentOf(number))) throw new Error(`${bucket}:/${prefix}${key} isn't whole`);
    found.push(number);
  }
  return [found[0] ?? 0, found[1] ?? 0];
}
