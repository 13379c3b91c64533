/**
 * A process whose calls are traced: `node power-child.js <mode> <folder> [owner] [writer]`. It opens the store, commits
 * to it from where that was, and closes it. It prints what is acknowledged.
 *
 * `alone` does so by itself, while a backup is taken; `workers` has two further processes do so at once, by `worker`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { realEnvironment } from '../../src/env/real.js';
import { createBackup } from '../../src/storage/backup/create-backup.js';
import { FolderBlobs } from '../../src/storage/backup/folder-blobs.js';
import type { Engine } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { openSharedLmdb, shareFolder } from '../../src/storage/lmdb/shared/open.js';
import { heldTimers } from '../support/held-timers.js';
import { patientTimers } from '../support/patient-timers.js';
import { commitLinked, lastOf, WRITERS, type Writer } from '../support/power/linked-writes.js';

/** As many as fill both segments of the log. */
const ROUNDS = 16;
const [, , mode = '', folder = '', owner = '', name = ''] = process.argv;

async function write(engine: Engine, writer: Writer, rounds: number, done: (round: number) => void) {
  const first = (await lastOf(engine, writer)) + 1;
  for (let round = first; round < first + rounds; round++) {
    writeSync(1, `${await commitLinked(engine, writer, round)}\n`);
    done(round);
  }
}

async function alone(): Promise<void> {
  const { timers, held } = heldTimers();
  const engine = openLmdb(folder, { timers });
  const follow = () => {
    for (const each of [...held]) each();
  };
  // The tree follows while others go on; in every second life only when the log is full.
  const follows = (await lastOf(engine, 'many')) % 2 === 0;
  const done = (round: number) => {
    if (follows && round % 3 === 0) follow();
  };
  let isBackedUp = false;
  const backup = createBackup(folder, new FolderBlobs(`${folder}-backup`)).finally(() => {
    isBackedUp = true;
  });
  await Promise.all(WRITERS.map((writer) => write(engine, writer, ROUNDS, done)));
  await Promise.all([write(engine, 'many', 1, done), write(engine, 'a', 3, done)]);
  while (!isBackedUp) {
    follow();
    await realEnvironment.timers.wait(1);
  }
  await backup;
  await engine.close();
}

async function workers(): Promise<void> {
  await openLmdb(folder).close();
  const unlock = await shareFolder(folder);
  const parts = ['a', 'b'].map((writer) =>
    fork(process.argv[1] as string, ['worker', folder, `${process.pid}`, writer]),
  );
  for (const [code] of await Promise.all(parts.map((part) => once(part, 'exit')))) if (code !== 0) process.exitCode = 1;
  await unlock();
}

async function worker(writer: Writer): Promise<void> {
  // What an engine waits for keeps no process alive, other than the sockets of a server.
  const alive = setInterval(() => undefined, 60_000);
  const engine = openSharedLmdb(folder, { owner: Number(owner), size: 2 }, { timers: patientTimers });
  const done = () => undefined;
  await write(engine, writer, ROUNDS / 2, done);
  if (writer === 'b') await Promise.all([write(engine, 'many', 1, done), write(engine, 'c', 3, done)]);
  await engine.close();
  clearInterval(alive);
}

const MODES: Readonly<Record<string, () => Promise<void>>> = { alone, workers, worker: () => worker(name as Writer) };
await MODES[mode]?.();
