import type { SessionIdentity } from '../../auth/identity.js';
import { authorize } from '../../exec/authorization/authorize.js';

/** What OPTION has said in a request, for its later statements. */
export class RequestOptions {
  constructor(
    /** A write that PERMISSIONS deny is an error. */
    readonly strict: boolean,
    /** No events, no field processing. */
    readonly importing = false,
  ) {}

  /**
   * The options after OPTION.
   * @throws TesseraError `not_allowed`
   */
  with(name: string, on: boolean, identity: SessionIdentity): RequestOptions {
    // It only restricts, so that every principal may set it.
    if (name.toUpperCase() === 'STRICT_PERMISSIONS') return new RequestOptions(on, this.importing);
    authorize(identity, 'edit', identity.databasePath, 'Option');
    return name.toUpperCase() === 'IMPORT' ? new RequestOptions(this.strict, on) : this;
  }
}
