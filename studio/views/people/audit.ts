/** The audit log as INFO shows it: pages of what a filter admits, and whether its chain holds. */
import type { DateTime } from 'surrealdb';
import type { Connection } from '../../connection/connection.js';

export interface AuditRecord {
  readonly sequence?: number;
  readonly at?: DateTime;
  readonly action?: string;
  readonly outcome?: string;
  readonly error?: string;
  readonly who?: { readonly kind: string; readonly name?: string; readonly id?: string };
  readonly as?: { readonly kind: string; readonly name?: string; readonly id?: string };
  readonly client?: { readonly ip?: string };
  readonly place?: { readonly namespace?: string; readonly database?: string };
  readonly what?: unknown;
  /** Why it isn't as it was written. */
  readonly fault?: string;
}

/** What a form says. Empty: all. */
export interface AuditFilter {
  readonly action: string;
  readonly who: string;
  readonly address: string;
  /** Times, such as 2027-01-15T08:00:00Z. */
  readonly from: string;
  readonly until: string;
}

export const EVERYTHING: AuditFilter = { action: '', who: '', address: '', from: '', until: '' };

const CONDITIONS: Readonly<Record<keyof AuditFilter, string>> = {
  action: 'action = $action',
  who: '$who IN [who.name, who.id, what.as.user]',
  address: 'client.ip = $address',
  from: 'at >= type::datetime($from)',
  until: 'at <= type::datetime($until)',
};

export const PAGE = 100;

/** Records before a number, or the newest. @throws Error if they may not be seen, or there is no log to read */
export async function loadAudit(
  connection: Connection,
  filter: AuditFilter,
  before: number | undefined,
): Promise<readonly AuditRecord[]> {
  const conditions = before === undefined ? [] : ['sequence < $before'];
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    if (filter[name as keyof AuditFilter].trim() !== '') conditions.push(condition);
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const values = Object.entries(filter).map(([name, value]) => [name, value.trim()]);
  const [records] = await connection.query<[readonly AuditRecord[]]>(`INFO FOR AUDIT${where} LIMIT ${PAGE}`, {
    ...Object.fromEntries(values),
    before,
  });
  return records;
}

export interface Verification {
  readonly valid: boolean;
  readonly records: number;
  readonly head?: string;
  readonly broken?: { readonly line: number; readonly reason: string };
}

/** Verifies the whole log. @throws Error as `loadAudit` */
export async function verifyAudit(connection: Connection): Promise<Verification> {
  const [verification] = await connection.query<[Verification]>('INFO FOR AUDIT VERIFY');
  return verification;
}
