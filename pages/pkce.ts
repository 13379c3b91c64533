/** Proof Key for Code Exchange (RFC 7636, S256), and the claims of the token that a code is redeemed for. */

export interface Proof {
  /** Stays in this browser until a code is redeemed. */
  readonly verifier: string;
  /** What the server gets at first: its SHA-256. */
  readonly challenge: string;
}

/** Draws a verifier. Needs a secure context, outside of which browsers don't hash. */
export async function drawProof(): Promise<Proof> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url(new Uint8Array(digest)) };
}

/** The claims of a token, whose signature is the server's to check. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ''] = token.split('.');
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Readonly<Record<string, unknown>>;
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
