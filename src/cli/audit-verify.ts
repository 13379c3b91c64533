/** `tessera audit verify`. */
import { open } from 'node:fs/promises';
import { verifyAuditLog } from '../audit/verify.js';
import { readAuditKey } from '../server/secret-files.js';

export interface VerifyAuditCommand {
  readonly keyFile?: string;
  readonly includes?: string;
}

/** Verifies the chain of a file, and returns the result as a sentence. */
export async function verifyFile(
  file: string,
  { keyFile, includes }: VerifyAuditCommand,
): Promise<{ readonly text: string; readonly isSound: boolean }> {
  const key = keyFile === undefined ? undefined : readAuditKey(keyFile);
  const handle = await open(file);
  try {
    const { records, head, broken } = await verifyAuditLog(handle.readLines({ encoding: 'utf8' }), { key, includes });
    if (broken !== undefined) return { text: `${file}: line ${broken.line}: ${broken.reason}`, isSound: false };
    return {
      text: `${file}: ${records} records, each as it was written. The last is ${head ?? 'none'}`,
      isSound: true,
    };
  } finally {
    await handle.close();
  }
}
