/**
 * The thread of `write-thread.ts`: puts the changes that it gets into one transaction of LMDB, and commits that. If
 * there is an archive, the changes are on its disk before: a thread may wait for the disk, an event loop may not.
 */
import { on } from 'node:events';
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { invariant } from '../../../base/invariant.js';
import { realEnvironment } from '../../../env/real.js';
import { SharedArchive } from '../../archive/shared-archive.js';
import { abortTransaction, openDatabases, putChange, putLog, putVersion, versionOf } from '../file/lmdb-databases.js';
import { unpackChanges } from '../file/packed-changes.js';
import type { ToWriter, WriterData } from './write-thread.js';

const port = parentPort;
invariant(port !== null, 'this runs on a thread of its own');
const messages = on(port, 'message');
const { path, file, sync, hasLog, archive: place } = workerData as WriterData;
const { dev, ino } = statSync(path, { bigint: true });
invariant(dev === file.dev && ino === file.ino, 'another file has taken the place of the one that is open');
const databases = openDatabases(path, { sync, readOnly: false, hasLog });
const archive = place && new SharedArchive(place, realEnvironment.clock);

/** Answers the last message, or says that it has begun, and waits for another one. */
async function next(): Promise<ToWriter> {
  port?.postMessage('done');
  const { value } = await messages.next();
  return value[0] as ToWriter;
}

/** The library aborts the transaction if this fails; then the thread ends with the error. */
async function putAll(first: ToWriter): Promise<unknown> {
  let message = first;
  for (; message.kind === 'changes' || message.kind === 'begin'; message = await next()) {
    if (message.kind !== 'changes') continue;
    archive?.add(message.bytes, versionOf(databases));
    unpackChanges(message.bytes, (change) => putChange(databases, change));
  }
  if (message.kind === 'abort') {
    archive?.drop();
    return abortTransaction();
  }
  invariant(message.kind === 'commit', 'closed within a write');
  const { version, stamp, logged } = message.result;
  archive?.end(version, stamp);
  putVersion(databases, version, stamp);
  if (logged !== undefined) putLog(databases, version, logged);
  return undefined;
}

for (;;) {
  const message = await next();
  if (message.kind === 'close') break;
  await databases.root.transactionSync(() => putAll(message));
}
archive?.close();
await databases.root.close();
port.close();
