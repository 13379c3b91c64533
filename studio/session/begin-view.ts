/** Beginning the view of another user. By itself, since the form to sign in needs none of it, nor the client. */
import type { Connection } from '../connection/connection.js';
import type { ViewedUser } from '../connection/viewed-user.js';
import { viewing } from './viewing.js';

/** Begins a view. It is tried before, so that what refuses it is the caller's to show. @throws Error if it is refused */
export async function beginView(connection: Connection, user: ViewedUser): Promise<void> {
  const tried = await connection.viewAs(user);
  tried.close();
  viewing.value = user;
}
