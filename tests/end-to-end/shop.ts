/** The music shop of `examples/music-shop`, loaded as its README says, and what its data files say should be seen. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { ROOT } from '../support/server-process.js';

/** The whole Chinook data where it is at hand, else the small set of the example. */
const FOLDERS = [process.env['MUSIC_SHOP_DATA'], '../shared/data/chinook', 'examples/music-shop/data'];
export const DATA = FOLDERS.find((folder) => folder !== undefined && existsSync(`${folder}/track.ndjson`)) ?? '';
export const STAFF_PASSWORD = 'the staff password';

/** Runs the example's own loader. Gives what it prints. */
export async function loadShop(url: string, folder: string = DATA): Promise<string> {
  const script = 'examples/music-shop/load.mjs';
  const options = ['--endpoint', url, '--user', ROOT.user, '--pass', ROOT.pass, '--employee-pass', STAFF_PASSWORD];
  const { stdout } = await promisify(execFile)(process.execPath, [script, folder, ...options]);
  return stdout;
}

export interface CustomerRow {
  readonly CustomerId: number;
  readonly FirstName: string;
  readonly LastName: string;
  readonly Email: string;
}
export interface InvoiceRow {
  readonly InvoiceId: number;
  readonly CustomerId: number;
  readonly Total: number;
}
interface InvoiceLineRow {
  readonly InvoiceLineId: number;
  readonly InvoiceId: number;
  readonly TrackId: number;
}
interface EmployeeRow {
  readonly FirstName: string;
  readonly Email: string;
}
interface TrackRow {
  readonly TrackId: number;
  readonly AlbumId: number;
  readonly Name: string;
  readonly Composer: string | null;
  readonly Milliseconds: number;
  readonly Bytes: number;
}
interface ArtistRow {
  readonly ArtistId: number;
  readonly Name: string;
}
interface AlbumRow {
  readonly AlbumId: number;
  readonly Title: string;
  readonly ArtistId: number;
}
interface PlaylistTrackRow {
  readonly PlaylistId: number;
  readonly TrackId: number;
}

function rows<T>(table: string): readonly T[] {
  const lines = readFileSync(`${DATA}/${table}.ndjson`, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as T);
}

export const customers = rows<CustomerRow>('customer');
export const employees = rows<EmployeeRow>('employee');
export const tracks = rows<TrackRow>('track');
export const artists = rows<ArtistRow>('artist');
export const albums = rows<AlbumRow>('album');
export const playlistTracks = rows<PlaylistTrackRow>('playlist_track');
export const invoices = rows<InvoiceRow>('invoice');
export const invoiceLines = rows<InvoiceLineRow>('invoice_line');

/** The ids of a customer's invoices and of their lines, in their order. */
export function salesOf({ CustomerId }: CustomerRow): { invoices: string[]; lines: string[] } {
  const own = new Set(
    invoices.filter((invoice) => invoice.CustomerId === CustomerId).map(({ InvoiceId }) => InvoiceId),
  );
  return {
    invoices: [...own].sort((a, b) => a - b).map((id) => `invoice:${id}`),
    lines: invoiceLines
      .filter(({ InvoiceId }) => own.has(InvoiceId))
      .map(({ InvoiceLineId }) => InvoiceLineId)
      .sort((a, b) => a - b)
      .map((id) => `invoice_line:${id}`),
  };
}

/** What a customer signs up and in with. */
export function credentialsOf({ Email, FirstName, LastName }: CustomerRow) {
  const variables = { email: Email, first_name: FirstName, last_name: LastName, password: `the password of ${Email}` };
  return { NS: 'shop', DB: 'music', AC: 'customer', ...variables };
}
