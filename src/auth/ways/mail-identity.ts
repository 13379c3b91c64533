/** `$identity` of a client that has proved a mail address. */
import { newObject, type ObjectValue, objectFrom } from '../../value/value.js';

export function mailIdentity(address: string): ObjectValue {
  return objectFrom({ subject: address, email: address, email_verified: true, claims: newObject() });
}
