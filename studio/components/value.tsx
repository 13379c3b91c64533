/** Any value of the database, always as text: whatever is in it, it is never read as HTML. */
import { FileRef, RecordId } from 'surrealdb';
import { hrefOf } from '../base/route.js';
import { textOf } from './value-text.js';

/** The first characters of longer values are shown. */
const LONGEST = 200;
/** Of one that is shown whole: a megabyte in one line would hold up the page. */
const LONGEST_WHOLE = 100_000;

interface Properties {
  readonly value: unknown;
  /** Shown whole, as far as a page can. */
  readonly whole?: boolean;
  /** Of a record id: as the server writes it, since some keys are of kinds that a page doesn't know. */
  readonly id?: string;
}

/** A value in SurrealQL; a record id leads to its record, and a file, shown by its name, to its page. Texts are without quotes. */
export function Value({ value, whole = false, id }: Properties) {
  if (value === undefined) return <span className="none">NONE</span>;
  if (value === null) return <span className="none">NULL</span>;
  if (value instanceof RecordId) {
    const name = id ?? value.toString();
    return (
      <a href={hrefOf('explore', ['record', name])} data-record={name}>
        {shown(name, whole)}
      </a>
    );
  }
  if (value instanceof FileRef) {
    const { bucket, key } = value;
    return (
      <a href={hrefOf('files', ['file', bucket, key])} data-file={JSON.stringify([bucket, key])} title={textOf(value)}>
        {whole ? shown(value, whole) : shortened(key.slice(key.lastIndexOf('/') + 1))}
      </a>
    );
  }
  const kind = typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'other';
  return <span className={`value ${kind}`}>{shown(value, whole)}</span>;
}

/** A name alone. */
function shortened(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name;
}

function shown(value: unknown, whole: boolean): string {
  const text = textOf(value);
  const longest = whole ? LONGEST_WHOLE : LONGEST;
  if (text.length <= longest) return text;
  const more = whole ? ` (${(text.length - longest).toLocaleString('en')} more characters)` : '';
  return `${text.slice(0, longest)}…${more}`;
}
