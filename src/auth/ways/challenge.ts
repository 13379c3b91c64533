/** Proof Key for Code Exchange (RFC 7636, S256 alone): a code is worth nothing without its client's verifier. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** The SHA-256 of a verifier in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
/** Section 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export function isChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

/** The challenge of a verifier. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Whether a verifier is that of a challenge. */
export function verifies(verifier: unknown, challenge: string): boolean {
  if (typeof verifier !== 'string' || !VERIFIER.test(verifier)) return false;
  return timingSafeEqual(Buffer.from(challengeOf(verifier)), Buffer.from(challenge));
}
