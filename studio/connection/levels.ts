/** Who may see what is defined. */
import type { Level } from '../../pages/session.js';

/** Whether users of this level have roles; record users and guests have what PERMISSIONS allow them. */
export function isSystemLevel(level: Level): boolean {
  return level === 'root' || level === 'namespace' || level === 'database';
}
