/** Waits until something changes in some folders. */
import { type FSWatcher, watch } from 'node:fs';
import { realEnvironment } from '../../env/real.js';
import { systemErrorText } from '../client/system-error.js';
import { CommandError } from '../command-error.js';

/** Milliseconds behind the first change of several: an editor writes a file in steps. */
const PAUSE = 50;

/** A folder, which may be missing, and whether changes of what has a name in it count. */
export interface WatchedFolder {
  readonly folder: string;
  counts(name: string): boolean;
}

export class ChangeWatcher {
  readonly #folders: readonly WatchedFolder[];
  #watchers: FSWatcher[] = [];
  #hasChanged = false;
  #wake: (() => void) | undefined;

  /** Changes count from now on. @throws CommandError where the system can't watch more folders */
  constructor(folders: readonly WatchedFolder[]) {
    this.#folders = folders;
    this.#watch();
  }

  /**
   * Resolves when something has changed since it resolved before, or behind so many milliseconds.
   * @throws CommandError as the constructor
   */
  async next(longest?: number): Promise<void> {
    if (!this.#hasChanged) {
      const change = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await (longest === undefined ? change : Promise.race([change, realEnvironment.timers.wait(longest)]));
    }
    await realEnvironment.timers.wait(PAUSE);
    this.#hasChanged = false;
    // A folder may have been made, or another one may have taken its place.
    this.#watch();
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  #watch(): void {
    this.close();
    for (const { folder, counts } of this.#folders) {
      try {
        const watcher = watch(folder, (_event, name) => {
          if (name === null || counts(name)) this.#notify();
        });
        // It is gone; the folder above it may be watched as well.
        watcher.on('error', () => this.#notify());
        this.#watchers.push(watcher);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        throw new CommandError(`${folder} can't be watched: ${systemErrorText(error) ?? (error as Error).message}`);
      }
    }
  }

  #notify(): void {
    this.#hasChanged = true;
    this.#wake?.();
    this.#wake = undefined;
  }
}
