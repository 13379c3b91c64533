import type { SessionIdentity } from '../../auth/identity.js';
import type { Option } from '../../language/ast.js';
import { authorize } from '../../runtime/authorization/authorize.js';

/** The options that OPTION has set in a request, for its later statements. */
export class RequestOptions {
  constructor(
    /** A write that PERMISSIONS deny is an error. */
    readonly strict: boolean,
    /** No events, no field processing. */
    readonly importing = false,
  ) {}

  /** The options that a request begins with. */
  static initial(strict: boolean): RequestOptions {
    return strict ? STRICT : LENIENT;
  }

  /**
   * The options after OPTION.
   * @throws TesseraError `not_allowed`
   */
  with({ name, value: on }: Option, identity: SessionIdentity): RequestOptions {
    // It only restricts, so that every principal may set it.
    if (name.toUpperCase() === 'STRICT_PERMISSIONS') return new RequestOptions(on, this.importing);
    authorize(identity, 'edit', identity.databasePath, 'Option');
    return name.toUpperCase() === 'IMPORT' ? new RequestOptions(this.strict, on) : this;
  }
}

const STRICT = new RequestOptions(true);
const LENIENT = new RequestOptions(false);
