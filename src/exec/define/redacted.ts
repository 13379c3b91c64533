/** What definitions show in place of a secret: hashes of passwords and keys. */
export const REDACTED = '[REDACTED]';
