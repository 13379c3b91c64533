/** An HTML page with its files and content security policy. */
import { mediaType } from './negotiation.js';

export interface WebPage {
  /** `{nonce}` is the placeholder of the nonce for styles added by its scripts. */
  readonly html: string;
  readonly files: PageFiles;
  readonly framing?: Framing;
}

/** The scripts and styles of a page, by their content-hashed names. */
export interface PageFiles {
  find(name: string): Promise<PageFile | undefined>;
}

/** How a page takes part in frames; by default it isn't framed, and frames nothing. */
export interface Framing {
  /** Pages of this server may frame it. */
  readonly isFramed?: boolean;
  /** It may frame pages of this server. */
  readonly frames?: boolean;
}

/** What a page may do with forms; by default it has none. */
export interface Forms {
  /** Where the answers to its forms may lead, besides this server. */
  readonly formTargets: readonly string[];
}

export interface PageFile {
  readonly tag: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The body is compressed by Brotli. */
  readonly isCompressed?: boolean;
}

/** A file of the documentation. */
export interface ManualFile extends PageFile {
  /** Whether its address changes with its content. */
  readonly isForever: boolean;
}

/** The documentation, by the addresses below `/docs`. */
export interface Manual {
  find(address: string): Promise<ManualFile | undefined>;
}

/** Whether a client is a browser that shows pages. */
export function wantsPage(accept: string | undefined): boolean {
  return accept?.split(',').some((range) => mediaType(range) === 'text/html') ?? false;
}

/**
 * The Content-Security-Policy: the page may load from and connect to this server only.
 * @param nonce of styles that its scripts add; absent: they add none
 */
export function pagePolicy(nonce?: string, { isFramed = false, frames = false }: Framing = {}, forms?: Forms): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    `frame-src '${frames ? 'self' : 'none'}'`,
    "base-uri 'none'",
    `form-action ${forms === undefined ? "'none'" : ["'self'", ...forms.formTargets].join(' ')}`,
    `frame-ancestors '${isFramed ? 'self' : 'none'}'`,
  ].join('; ');
}
