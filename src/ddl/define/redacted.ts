/** The placeholder of secrets in definitions: password hashes and keys. */
export const REDACTED = '[REDACTED]';
