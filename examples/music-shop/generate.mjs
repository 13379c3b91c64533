// Writes the small data set beside this file: the same shape as Chinook's, invented from a fixed seed.
//
//   node examples/music-shop/generate.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join(fileURLToPath(new URL('.', import.meta.url)), 'data');

// Mulberry32: the same numbers on every machine.
let state = 20_261_121;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}
const pick = (list) => list[Math.floor(random() * list.length)];
const times = (count, make) => Array.from({ length: count }, (_, at) => make(at + 1));
const price = () => pick([0.99, 1.29, 1.99]);

const ADJECTIVES = ['Quiet', 'Golden', 'Broken', 'Northern', 'Paper', 'Electric', 'Naïve', 'Hidden'];
const NOUNS = ['River', 'Lantern', 'Mosaic', 'Café', 'Signal', 'Señorita', 'Mirror', 'Comet'];
const FIRST = ['Ada', 'Bruno', 'Clara', 'David', 'Elif', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Kaja', 'Luis'];
const LAST = ['Abel', 'Berg', 'Costa', 'Dahl', 'Evans', 'Fonseca', 'Gruber', 'Haas', 'Ito', 'Jansen', 'Kaya', 'Lund'];
const CITIES = [
  ['Lisbon', 'Portugal'],
  ['Oslo', 'Norway'],
  ['Kyoto', 'Japan'],
  ['Graz', 'Austria'],
  ['Bath', 'United Kingdom'],
];
const title = () => `${pick(ADJECTIVES)} ${pick(NOUNS)}`;

const artist = times(10, (ArtistId) => ({ ArtistId, Name: `The ${title()}s` }));
const genre = ['Rock', 'Jazz', 'Folk', 'Classical'].map((Name, at) => ({ GenreId: at + 1, Name }));
const media_type = ['MPEG audio file', 'FLAC audio file'].map((Name, at) => ({ MediaTypeId: at + 1, Name }));
const album = times(20, (AlbumId) => ({ AlbumId, Title: title(), ArtistId: 1 + Math.floor(random() * artist.length) }));
const track = times(120, (TrackId) => ({
  TrackId,
  Name: title(),
  AlbumId: 1 + Math.floor(random() * album.length),
  MediaTypeId: 1 + Math.floor(random() * media_type.length),
  GenreId: 1 + Math.floor(random() * genre.length),
  Composer: random() < 0.3 ? null : `${pick(FIRST)} ${pick(LAST)}`,
  Milliseconds: 120_000 + Math.floor(random() * 300_000),
  Bytes: 3_000_000 + Math.floor(random() * 9_000_000),
  UnitPrice: price(),
}));
const playlist = ['Morning', 'Evening', 'Travel'].map((Name, at) => ({ PlaylistId: at + 1, Name }));
const playlist_track = playlist.flatMap(({ PlaylistId }) =>
  [...new Set(times(25, () => 1 + Math.floor(random() * track.length)))].map((TrackId) => ({ PlaylistId, TrackId })),
);
const employee = ['General Manager', 'Sales Manager', 'Sales Support Agent'].map((Title, at) => ({
  EmployeeId: at + 1,
  FirstName: FIRST[at],
  LastName: LAST[at],
  Title,
  ReportsTo: at === 0 ? null : at,
  Email: `${FIRST[at].toLowerCase()}@shop.example`,
}));
const customer = times(12, (CustomerId) => {
  const FirstName = FIRST[CustomerId - 1];
  const LastName = LAST[LAST.length - CustomerId];
  const [City, Country] = pick(CITIES);
  return {
    CustomerId,
    FirstName,
    LastName,
    Company: null,
    Address: `${1 + Math.floor(random() * 99)} ${pick(NOUNS)} Street`,
    City,
    Country,
    PostalCode: String(1000 + Math.floor(random() * 9000)),
    Phone: null,
    Email: `${FirstName}.${LastName}@mail.example`.toLowerCase(),
    SupportRepId: 3,
  };
});
const invoice_line = [];
const invoice = times(40, (InvoiceId) => {
  const buyer = pick(customer);
  const lines = times(1 + Math.floor(random() * 4), () => {
    const { TrackId, UnitPrice } = pick(track);
    return { InvoiceLineId: 0, InvoiceId, TrackId, UnitPrice, Quantity: 1 };
  });
  for (const line of lines) invoice_line.push({ ...line, InvoiceLineId: invoice_line.length + 1 });
  const day = String(1 + (InvoiceId % 28)).padStart(2, '0');
  return {
    InvoiceId,
    CustomerId: buyer.CustomerId,
    InvoiceDate: `2026-${String(1 + (InvoiceId % 12)).padStart(2, '0')}-${day}T00:00:00`,
    BillingAddress: buyer.Address,
    BillingCity: buyer.City,
    BillingCountry: buyer.Country,
    BillingPostalCode: buyer.PostalCode,
    Total: Number(lines.reduce((sum, line) => sum + line.UnitPrice, 0).toFixed(2)),
  };
});

mkdirSync(FOLDER, { recursive: true });
const tables = {
  artist,
  genre,
  media_type,
  album,
  track,
  playlist,
  playlist_track,
  employee,
  customer,
  invoice,
  invoice_line,
};
for (const [name, rows] of Object.entries(tables)) {
  writeFileSync(join(FOLDER, `${name}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}
