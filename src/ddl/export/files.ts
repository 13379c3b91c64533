/**
 * The files of a bucket as statements that restore them:
 *
 *     file::put(f"avatars:/a.png", b"89504e47…", { restored: { digest: 'sha-256:…', updated: d'…' }, type: 'image/png' });
 *
 * Those of large ones have a piece each.
 */

import { valueCode } from '../../language/value-code.js';
import type { Execution } from '../../runtime/execution.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';

/** Bytes of a statement. */
const PIECE = 2 * 2 ** 20;

/** @throws TesseraError `bucket_denied`, `bucket_store` */
export async function* fileTexts(execution: Execution, bucket: string): AsyncGenerator<string> {
  for await (const { facts, size, pieces } of execution.services.files.of(execution).all(bucket, PIECE)) {
    let at = 0;
    for await (const piece of pieces) {
      yield statementText(facts, piece, size > PIECE ? { at, size } : {});
      at += piece.length;
      await execution.interrupt.checkpoint();
    }
    if (size === 0) yield statementText(facts, new Uint8Array(), {});
    else if (at < size) yield '-- It was deleted meanwhile.\n';
  }
}

function statementText(
  { file, type, updated, owner, digest }: ObjectValue,
  bytes: Uint8Array,
  piece: { readonly at?: number; readonly size?: number },
): string {
  const restored = objectFrom({ digest, updated, ...(owner !== undefined && { owner }) });
  const options = objectFrom({ ...piece, restored, type });
  return `file::put(${valueCode(file)}, ${valueCode(bytes)}, ${valueCode(options)});\n`;
}
