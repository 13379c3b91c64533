/** Setting up a fresh server: what `POST /setup` needs of it. */
import type { Origin } from '../../session/contract.js';

/** What the form of the page asks for. */
export interface SetupRequest {
  readonly user: string;
  readonly password: string;
  /** The code that the server has printed. */
  readonly code: string;
}

/** Makes the first root user, once. */
export interface Setup {
  /** Whether there is no root user, and a code that is still valid. */
  readonly isOpen: boolean;
  /**
   * Makes the user, as an owner.
   * @throws TesseraError `setup_closed`, `setup_code_wrong`, `too_many_attempts`, `password_too_long`, `hashing_busy`
   */
  makeUser(request: SetupRequest, origin: Origin): Promise<void>;
}
