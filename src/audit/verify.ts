/** Checks the chain of a whole log. */
import { type ChainLink, faultAfter, readLink } from './chain.js';

export interface AuditVerdict {
  /** How many records are as they were written, from the first on. */
  readonly records: number;
  /** The hash of the last of them. */
  readonly head: string | undefined;
  /** The first line that isn't, counted from 1, and why. */
  readonly broken?: { readonly line: number; readonly reason: string };
}

export interface VerifyOptions {
  readonly key?: Uint8Array | undefined;
  /**
   * The hash of a record that must be there. A log that was cut short, or written anew from its beginning, is a chain like any other; only
   * somebody who has kept a hash elsewhere can tell.
   */
  readonly includes?: string | undefined;
}

/** Reads the lines of a log, without their line breaks, up to the first that is broken. */
export async function verifyAuditLog(
  lines: AsyncIterable<string> | Iterable<string>,
  { key, includes }: VerifyOptions = {},
): Promise<AuditVerdict> {
  let last: ChainLink | undefined;
  let records = 0;
  let isIncluded = includes === undefined;
  const broken = (reason: string): AuditVerdict => ({
    records,
    head: last?.hash,
    broken: { line: records + 1, reason },
  });
  for await (const line of lines) {
    const link = readLink(line, key);
    if ('fault' in link) return broken(link.fault);
    const fault = faultAfter(last, link);
    if (fault !== undefined) return broken(fault);
    last = link;
    records++;
    isIncluded ||= link.hash === includes;
  }
  return isIncluded ? { records, head: last?.hash } : broken('the record that has to be in it is missing');
}
