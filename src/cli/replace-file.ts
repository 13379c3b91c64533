/** Files that others read while they are written. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file, and makes its folder. Who watches the file sees either the old text or the new one.
 * @throws what the file system throws
 */
export async function replaceFile(file: string, text: string, mode?: number): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(unfinished, text, { mode });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
