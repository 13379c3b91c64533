/**
 * The version reported to clients. Official clients parse `surrealdb-X.Y.Z` and derive features from it, so that it
 * names the protocol version; the header `server` names this server.
 */
export const PROTOCOL_VERSION = 'surrealdb-3.0.2';
