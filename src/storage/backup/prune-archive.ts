/** Prunes an archive: drops segments that no restore from a backup can need. */
import { rm, stat } from 'node:fs/promises';
import { archivedGroups, segmentsOf } from '../archive/read-archive.js';
import { syncFolder } from '../file-system.js';
import type { StorePosition } from './manifest.js';

/** The result of pruning. */
export interface PrunedArchive {
  /** Segments that were removed, or would be. */
  readonly segments: number;
  /** Their length. */
  readonly bytes: number;
  /** Segments that are left. */
  readonly left: number;
  /** The last version of the store to which the backup can be brought forward. */
  readonly upTo: number;
}

/**
 * Removes the segments of an archive that end before a backup; those needed to bring this or a later backup forward
 * stay, and are read first, as by a restore. The oldest are removed first, so that an interruption leaves a whole
 * archive; the last segment always stays, since a server may append to it.
 * @throws TesseraError `archive_foreign`; `archive_gap` and `restore_time` where the archive can't bring the backup
 * forward, with nothing removed; Error of the system
 */
export async function pruneArchive(
  folder: string,
  { id, version }: Pick<StorePosition, 'id' | 'version'>,
  isDryRun: boolean,
): Promise<PrunedArchive> {
  const segments = await segmentsOf(folder, id);
  let upTo = version;
  for await (const group of archivedGroups(folder, { store: id, after: version, until: undefined })) {
    upTo = group.version;
  }
  const needed = segments.findLastIndex(({ header }) => header !== undefined && header.base <= version);
  const old = segments.slice(0, needed);
  let bytes = 0;
  for (const { path } of old) {
    bytes += (await stat(path)).size;
    if (!isDryRun) await rm(path);
  }
  if (!isDryRun && old.length > 0) syncFolder(folder);
  return { segments: old.length, bytes, left: segments.length - old.length, upTo };
}
