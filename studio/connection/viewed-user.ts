/** A user whose view of the database an owner has (RPC method `view_as`). */

export type ViewedUser =
  /** `record` as one types it: `person:1`. */
  | { readonly kind: 'record'; readonly record: string; readonly access: string }
  | { readonly kind: 'guest' }
  | { readonly kind: 'viewer' | 'editor' };

/** The parameter of `view_as`. */
export function viewTarget(user: ViewedUser, namespace: string, database: string): object {
  const place = { namespace, database };
  if (user.kind === 'guest') return { ...place, guest: true };
  if (user.kind === 'record') return { ...place, record: user.record, access: user.access };
  return { ...place, role: user.kind };
}

/** Describes the user in words. */
export function describeUser(user: ViewedUser): string {
  if (user.kind === 'guest') return 'a guest';
  if (user.kind === 'record') return `${user.record}, signed in by ${user.access}`;
  return user.kind === 'viewer' ? 'a viewer of the database' : 'an editor of the database';
}
