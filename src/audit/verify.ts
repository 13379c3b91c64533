/** Verifies the hash chain of a whole log. */
import { type ChainLink, faultAfter, readChainLink } from './chain.js';

export interface AuditVerdict {
  /** The number of valid records from the start. */
  readonly records: number;
  /** The hash of the last of them. */
  readonly head: string | undefined;
  /** The first invalid line, counted from 1, and the reason. */
  readonly broken?: { readonly line: number; readonly reason: string };
}

export interface VerifyOptions {
  readonly key?: Uint8Array | undefined;
  /**
   * The hash of a record that must exist: a log that was truncated or rewritten from its beginning is a valid chain,
   * which only a hash kept elsewhere can detect.
   */
  readonly includes?: string | undefined;
}

/** Verifies the lines of a log, without line breaks, up to the first invalid one. */
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
    const link = readChainLink(line, key);
    if ('fault' in link) return broken(link.fault);
    const fault = faultAfter(last, link);
    if (fault !== undefined) return broken(fault);
    last = link;
    records++;
    isIncluded ||= link.hash === includes;
  }
  return isIncluded ? { records, head: last?.hash } : broken('the record that has to be in it is missing');
}
