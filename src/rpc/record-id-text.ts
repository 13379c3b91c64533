import { RecordId } from '../value/value.js';

const RECORD_ID = /^([A-Za-z_][A-Za-z0-9_]*):([A-Za-z0-9_]+)$/;
const INT = /^\d{1,15}$/;

/** A text that reads as a record id, as one: `person:1`, `person:tobie`. JSON has no other way to say it. */
export function recordIdFromText(text: string): RecordId | undefined {
  const [, table, key] = RECORD_ID.exec(text) ?? [];
  if (table === undefined || key === undefined) return undefined;
  return new RecordId(table, INT.test(key) ? Number(key) : key);
}
