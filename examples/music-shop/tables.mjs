// How the rows of the Chinook data become records: for each table its file, its key, and its fields.

const link = (table) => (value) => (value === null ? undefined : { link: table, key: value });
const text = (value) => (value === null || value === '' ? undefined : value);
const decimal = (value) => ({ decimal: String(value) });
const datetime = (value) => ({ datetime: `${value}Z` });
const same = (value) => value ?? undefined;

export const TABLES = [
  { table: 'artist', key: 'ArtistId', fields: { name: ['Name', text] } },
  { table: 'genre', key: 'GenreId', fields: { name: ['Name', text] } },
  { table: 'media_type', key: 'MediaTypeId', fields: { name: ['Name', text] } },
  { table: 'playlist', key: 'PlaylistId', fields: { name: ['Name', text] } },
  { table: 'album', key: 'AlbumId', fields: { title: ['Title', text], artist: ['ArtistId', link('artist')] } },
  {
    table: 'track',
    key: 'TrackId',
    fields: {
      name: ['Name', text],
      album: ['AlbumId', link('album')],
      genre: ['GenreId', link('genre')],
      media_type: ['MediaTypeId', link('media_type')],
      composer: ['Composer', text],
      milliseconds: ['Milliseconds', same],
      bytes: ['Bytes', same],
      unit_price: ['UnitPrice', decimal],
    },
  },
  {
    table: 'employee',
    key: 'EmployeeId',
    fields: {
      first_name: ['FirstName', text],
      last_name: ['LastName', text],
      title: ['Title', text],
      email: ['Email', text],
      reports_to: ['ReportsTo', link('employee')],
    },
  },
  {
    table: 'customer',
    key: 'CustomerId',
    fields: {
      first_name: ['FirstName', text],
      last_name: ['LastName', text],
      company: ['Company', text],
      address: ['Address', text],
      city: ['City', text],
      country: ['Country', text],
      postal_code: ['PostalCode', text],
      phone: ['Phone', text],
      email: ['Email', text],
      support: ['SupportRepId', link('employee')],
    },
  },
  {
    table: 'invoice',
    key: 'InvoiceId',
    fields: {
      customer: ['CustomerId', link('customer')],
      date: ['InvoiceDate', datetime],
      billing_address: ['BillingAddress', text],
      billing_city: ['BillingCity', text],
      billing_country: ['BillingCountry', text],
      billing_postal_code: ['BillingPostalCode', text],
      total: ['Total', decimal],
    },
  },
  {
    table: 'invoice_line',
    key: 'InvoiceLineId',
    fields: {
      invoice: ['InvoiceId', link('invoice')],
      track: ['TrackId', link('track')],
      unit_price: ['UnitPrice', decimal],
      quantity: ['Quantity', same],
    },
  },
  {
    table: 'playlist_track',
    edge: true,
    fields: { in: ['PlaylistId', link('playlist')], out: ['TrackId', link('track')] },
  },
];
