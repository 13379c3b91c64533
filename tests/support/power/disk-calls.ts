/** Calls by which a process changes files, in the order in which they were made. */

/** Paths are absolute. */
export type DiskCall =
  /** Of a file: unless it is there. */
  | { readonly kind: 'make' | 'make folder' | 'remove'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly at: number | 'end'; readonly bytes: Uint8Array }
  | { readonly kind: 'cut'; readonly path: string; readonly length: number }
  | { readonly kind: 'link' | 'rename'; readonly path: string; readonly to: string }
  /** What was written to a file, or the names in a folder, before a call of this list is on the disk by now. */
  | { readonly kind: 'flush'; readonly path: string; readonly before: number }
  /** The same of the pages of one write. */
  | { readonly kind: 'flush write'; readonly path: string; readonly write: number }
  /** The process printed a line. */
  | { readonly kind: 'say'; readonly line: string };

/** The same call behind so many others. */
export function later(call: DiskCall, by: number): DiskCall {
  if (call.kind === 'flush') return { ...call, before: call.before + by };
  return call.kind === 'flush write' ? { ...call, write: call.write + by } : call;
}
