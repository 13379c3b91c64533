/** The system's limit of open files, of which clients get a part: sockets are files, too. */

/** A share of the limit is kept free for the store, scripts, archive and audit log, within these bounds. */
const RESERVED_SHARE = 1 / 4;
const [LEAST_RESERVED, MOST_RESERVED] = [64, 1_024];

/** How many sockets clients may open, given the limit of open files. */
export function socketsWithin(files: number): number {
  const reserved = Math.min(Math.max(Math.floor(files * RESERVED_SHARE), LEAST_RESERVED), MOST_RESERVED);
  return Math.max(files - reserved, Math.floor(files / 2));
}

/** How many sockets clients of this process may open. */
export function availableSockets(): number {
  return socketsWithin(openFilesLimit() ?? Number.POSITIVE_INFINITY);
}

interface Report {
  /** A system without such a limit has none of this. */
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | 'unlimited' } };
}

/** `ulimit -n`, as far as Node could raise it. */
function openFilesLimit(): number | undefined {
  const { userLimits } = process.report.getReport() as Report;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}
