/** The connection of the session to the chosen database; a new one when either changes. */
import { useEffect, useState } from 'react';
import { asError } from '../connection/as-error.js';
import { Connection } from '../connection/connection.js';
import type { ViewedUser } from '../connection/viewed-user.js';
import { leave, type SignedIn } from '../session/session.js';

const ENDED = 'Your sign-in has ended. Sign in again.';

export interface Connecting {
  /** `undefined` until there is one. */
  readonly connection?: Connection;
  /** Why there is none. */
  readonly error?: Error;
}

export function useConnection(session: SignedIn, viewed: ViewedUser | undefined): Connecting {
  const [state, setState] = useState<Connecting>({});
  useEffect(() => {
    let opened: Connection | undefined;
    let isShown = true;
    const ended = () => {
      if (isShown) leave(ENDED);
    };
    Connection.open(session, { ended, ...(viewed !== undefined && { viewed }) }).then(
      (connection) => {
        opened = connection;
        if (isShown) setState({ connection });
        else connection.close();
      },
      (thrown: unknown) => {
        if (!isShown) return;
        const error = asError(thrown);
        // The server was reached, and didn't take the token.
        if (error.name.startsWith('NotAllowed') || /auth|expired/i.test(error.message)) leave(ENDED);
        else setState({ error });
      },
    );
    return () => {
      isShown = false;
      opened?.close();
      setState({});
    };
  }, [session, viewed]);
  return state;
}
