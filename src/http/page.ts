/** A page for browsers: what it consists of and what it may do. */
import { mediaType } from './negotiation.js';

export interface Page {
  /** `{nonce}` stands for what marks the styles that its scripts add. */
  readonly html: string;
  /** Its scripts and styles by their names, which change with what is in them. */
  readonly files: ReadonlyMap<string, PageFile>;
}

export interface PageFile {
  readonly tag: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Whether a client is a browser that shows pages. */
export function wantsPage(accept: string | undefined): boolean {
  return accept?.split(',').some((range) => mediaType(range) === 'text/html') ?? false;
}

/** The Content-Security-Policy of the page: it loads and calls this server, and nobody else. */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
