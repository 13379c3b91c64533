/** What is to be called when a transaction has committed: the last callback, with those before it. Shared by savepoints, so it never changes. */
export interface AfterCommit {
  readonly callback: () => void;
  readonly before: AfterCommit | undefined;
}

/** Calls all of them, the first one first. */
export function callAll(last: AfterCommit | undefined): void {
  const callbacks: (() => void)[] = [];
  for (let each = last; each !== undefined; each = each.before) callbacks.push(each.callback);
  for (const callback of callbacks.reverse()) callback();
}
