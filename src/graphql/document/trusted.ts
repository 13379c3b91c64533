/** The text to execute: the request's own, or a trusted document identified by an id. */
import { failure } from '../../errors/error.js';
import type { GraphqlRequest } from '../base/request.js';
import type { TrustedManifest } from './manifest.js';

export interface TrustedOptions {
  readonly documents?: TrustedManifest | undefined;
  /** Whether no others are run. */
  readonly only?: boolean;
}

/** GraphQL over HTTP lets ids say how they were made: `sha256:…`. Manifests mostly leave that out. */
const HASH_PREFIX = 'sha256:';

export class TrustedDocuments {
  readonly #byId: TrustedManifest | undefined;
  readonly #texts: ReadonlySet<string>;
  readonly #only: boolean;

  constructor({ documents, only = false }: TrustedOptions = {}) {
    this.#byId = documents;
    this.#texts = new Set(documents?.values());
    this.#only = only;
  }

  /** Whether only trusted documents are executed. */
  get isClosed(): boolean {
    return this.#only;
  }

  /** @throws TesseraError `graphql_document_unknown`, `graphql_document_untrusted` */
  textOf({ query, documentId, persistedQuery }: GraphqlRequest): string {
    if (query !== undefined) {
      if (this.#only && !this.#texts.has(query)) throw failure('graphql_document_untrusted');
      return query;
    }
    const text = this.#find(documentId ?? persistedQuery ?? '');
    if (text !== undefined) return text;
    const kind = documentId === undefined ? 'persistedQuery' : 'documentId';
    throw failure('graphql_document_unknown', { kind, any: this.#byId !== undefined });
  }

  #find(id: string): string | undefined {
    const text = this.#byId?.get(id);
    return text === undefined && id.startsWith(HASH_PREFIX) ? this.#byId?.get(id.slice(HASH_PREFIX.length)) : text;
  }
}
