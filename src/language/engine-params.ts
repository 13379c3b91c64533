/** Parameters that the engine binds. */

/**
 * Those that mean a document wherever there is one: `$this` and `$self` the current one, `$parent` the one around it. A
 * variable of such a name is seen only where there is none.
 */
export const DOCUMENT_PARAMS: ReadonlySet<string> = new Set(['this', 'self', 'parent']);

/**
 * Those that say who and where a request is, or that statements bind themselves; no client, no LET and no DEFINE PARAM
 * may bind them.
 */
export const REQUEST_PARAMS: ReadonlySet<string> = new Set(['access', 'auth', 'session', 'token']);

/** Those of events and of the clauses of fields. */
const CHANGE_PARAMS = ['after', 'before', 'event', 'input', 'value'];

/** Parameters whose value changes from record to record. */
export const RECORD_PARAMS: ReadonlySet<string> = new Set([...DOCUMENT_PARAMS, ...CHANGE_PARAMS]);

/** All of them. */
export const ENGINE_PARAMS: ReadonlySet<string> = new Set([...DOCUMENT_PARAMS, ...REQUEST_PARAMS, ...CHANGE_PARAMS]);
