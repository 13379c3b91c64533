/** Parameters that the engine binds. */

/** Params that mean the current document wherever there is one. */
export const CURRENT_DOCUMENT_PARAMS: ReadonlySet<string> = new Set(['this', 'self']);

/**
 * The same, and `$parent`, which means the document around it. A variable of such a name is seen only where there is no
 * document.
 */
export const DOCUMENT_PARAMS: ReadonlySet<string> = new Set([...CURRENT_DOCUMENT_PARAMS, 'parent']);

/**
 * Those that say who and where a request is, or that statements bind themselves; no client, no LET and no DEFINE PARAM
 * may bind them.
 */
export const REQUEST_PARAMS: ReadonlySet<string> = new Set<RequestParam>(['access', 'auth', 'session', 'token']);
export type RequestParam = 'access' | 'auth' | 'session' | 'token';

/** Params of events and of the clauses of fields. */
const CHANGE_PARAMS = ['after', 'before', 'event', 'input', 'value'];

/** Parameters whose value changes from record to record. */
export const RECORD_PARAMS: ReadonlySet<string> = new Set([...DOCUMENT_PARAMS, ...CHANGE_PARAMS]);

/** All of them. */
export const ENGINE_PARAMS: ReadonlySet<string> = new Set([...DOCUMENT_PARAMS, ...REQUEST_PARAMS, ...CHANGE_PARAMS]);
