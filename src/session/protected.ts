/** Names that say who and where a request is, or that statements bind themselves; no client and no LET may bind them. */
const PROTECTED: ReadonlySet<string> = new Set(['access', 'auth', 'session', 'token']);

export function isProtected(name: string): boolean {
  return PROTECTED.has(name);
}
