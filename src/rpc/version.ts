/**
 * What we say we are. Official clients parse `surrealdb-X.Y.Z` and take from it which features a server has, so that text names the
 * version whose protocol we speak; who we really are stands in the header `server`.
 */
export const PROTOCOL_VERSION = 'surrealdb-3.0.2';
