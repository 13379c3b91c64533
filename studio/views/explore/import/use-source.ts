/** The file or text that is imported, and its rows as they are read. */
import { useMemo, useState } from 'react';
import { asError } from '../../../connection/as-error.js';
import { type CsvOptions, readCsv } from './read-csv.js';
import { readJson, readNdjson } from './read-json.js';
import { formatOf, type SourceFormat, type SourceRows } from './source-rows.js';

/** Larger files would hold up the page, which reads them as a whole. */
const MOST_BYTES = 100 * 1024 * 1024;

const EMPTY: SourceRows = { columns: [], rows: [], refused: [] };

const READERS: Readonly<Record<SourceFormat, (text: string, options: CsvOptions) => SourceRows>> = {
  csv: readCsv,
  json: readJson,
  ndjson: readNdjson,
};

export interface Source {
  readonly text: string;
  readonly format: SourceFormat;
  readonly csv: CsvOptions;
  readonly read: SourceRows;
  /** Why it can't be read; empty if it can be. */
  readonly fault: string;
  setText(text: string): void;
  setFile(file: Blob): Promise<void>;
  setFormat(format: SourceFormat): void;
  setCsv(options: CsvOptions): void;
}

export function useSource(): Source {
  const [text, setText] = useState('');
  const [format, setFormat] = useState<SourceFormat>('csv');
  const [csv, setCsv] = useState<CsvOptions>({ delimiter: '', hasNames: true });
  const [tooLarge, setTooLarge] = useState('');
  const { read, fault } = useMemo(() => reading(text, format, csv), [text, format, csv]);
  const take = (given: string) => {
    setTooLarge('');
    setText(given);
    setFormat(formatOf(given));
  };
  return {
    text,
    format,
    csv,
    read,
    fault: tooLarge === '' ? fault : tooLarge,
    setText: take,
    async setFile(file) {
      if (file.size <= MOST_BYTES) return take(await file.text());
      setText('');
      setTooLarge('The file has more than 100 MiB. Divide it, or import it as statements by the command line.');
    },
    setFormat,
    setCsv,
  };
}

function reading(text: string, format: SourceFormat, options: CsvOptions): Pick<Source, 'read' | 'fault'> {
  if (text.trim() === '') return { read: EMPTY, fault: '' };
  try {
    return { read: READERS[format](text, options), fault: '' };
  } catch (thrown) {
    return { read: EMPTY, fault: asError(thrown).message };
  }
}
