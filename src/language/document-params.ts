/**
 * Params that mean a document wherever there is one: `$this` and `$self` the current one, `$parent` the one around it. A variable of such a
 * name is seen only where there is none.
 */
export const DOCUMENT_PARAMS: ReadonlySet<string> = new Set(['this', 'self', 'parent']);
