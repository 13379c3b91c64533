/** Why something could not be read. Missing rights are shown as a notice rather than an error. */
import { Notice } from './notice.js';

interface Properties {
  readonly error: Error;
  /** Who may see it, where not every user may. */
  readonly seenBy?: string;
}

export function Failure({ error, seenBy }: Properties) {
  if (seenBy === undefined || !/not enough permissions/i.test(error.message)) {
    return <Notice kind="error">{error.message}</Notice>;
  }
  return <Notice kind="information">You may not see this: it is for {seenBy}.</Notice>;
}
