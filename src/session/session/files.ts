/** Files whose bytes a transport sends and receives piece by piece. */

import { TesseraError } from '../../errors/error.js';
import type { PutBounds } from '../../functions/calls/files.js';
import type {
  FileLink,
  FileUpload,
  OpenFile,
  ResumableUpload,
  TransferredFiles,
  UploadStart,
} from '../../runtime/file-access.js';
import type { FileReference } from '../../value/value.js';
import { beginRequest, runRequest } from './run/running.js';
import { becomeMaker } from './sign-in.js';
import type { SessionState } from './state.js';
import { enterAdmitted, enterLive } from './validity.js';

/** A file, if the user may get it or has a link to it; `undefined` if there is none. */
export function openFile(
  session: SessionState,
  file: FileReference,
  link: FileLink | undefined,
): Promise<OpenFile | undefined> {
  return withFiles(session, 'file::get', (files) => files.open(file, link), link !== undefined);
}

/** A file whose bytes come, if the user may put it. */
export function uploadFile(
  session: SessionState,
  file: FileReference,
  type: string | undefined,
  bounds: PutBounds | undefined,
): Promise<FileUpload> {
  return withFiles(session, 'file::put', (files) => files.upload(file, type, bounds));
}

/** Makes the session that of who has made a link to put a file. */
export async function enterByLink(session: SessionState, file: FileReference, link: FileLink): Promise<void> {
  const maker = await withFiles(session, 'file::put', (files) => files.makerOf(file, link), true);
  await becomeMaker(session, maker);
}

/** A file whose bytes come in several requests, if the user may put it. */
export function beginUpload(session: SessionState, file: FileReference, given: UploadStart): Promise<ResumableUpload> {
  return withFiles(session, 'file::put', (files) => files.beginUpload(file, given));
}

/** An upload that the user has begun. */
export function resumeUpload(session: SessionState, bucket: string, id: string): Promise<ResumableUpload> {
  return withFiles(session, 'file::put', (files) => files.resumeUpload(bucket, id));
}

/**
 * Asks in a transaction of its own. `name` is the function that does the same, which must be allowed. `isAnyone`:
 * guests that may not run statements may ask, too.
 */
async function withFiles<T>(
  session: SessionState,
  name: string,
  ask: (files: TransferredFiles) => Promise<T>,
  isAnyone = false,
): Promise<T> {
  const { services, durability } = session;
  const running = beginRequest(session);
  return runRequest(session, running, async () => {
    await durability.durable;
    if (isAnyone) await enterLive(session);
    else await enterAdmitted(session);
    const { identity } = session;
    const transaction = await services.engine.begin({ writable: name === 'file::put' });
    try {
      const execution = services.executor.execution({ transaction, identity, ...running });
      execution.services.functions?.check(name);
      return await ask(execution.services.files.of(execution));
    } catch (error) {
      if (error instanceof TesseraError && error.code === 'file_denied') session.auditor?.refused(error);
      throw error;
    } finally {
      transaction.cancel();
    }
  });
}
