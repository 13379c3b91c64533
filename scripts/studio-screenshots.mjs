// Writes the pictures of docs/guides/studio.md: starts a server with the music shop, opens each view of the Studio in Chromium and takes its picture.
// `--help` lists the options.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { readOptions } from './options.mjs';

const HELP = `Writes pictures of the Studio's views, with the music shop, to a folder. Needs a build ("npm run build")
and Chromium.

  node scripts/studio-screenshots.mjs [options]

  --folder PATH     where the pictures go (docs/guides/studio)
  --chromium PATH   the browser (/usr/bin/chromium)
  --measure         takes no pictures, but prints the time of the first paint and the bytes of the first load
  -h, --help        prints this`;
const { values } = readOptions(HELP, {
  options: {
    folder: { type: 'string', default: 'docs/guides/studio' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
    measure: { type: 'boolean', default: false },
  },
});

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const USER = 'root';
const PASS = 'secret';
const WIDE = { width: 1280, height: 800 };
/** Of what is full of text. */
const LOW = { width: 1280, height: 560 };
/** Of what belongs together from its first line to its last. */
const HIGH = { width: 1280, height: 860 };
/** Of JPEG: each picture stays below 100 KiB, and its text is clear. */
const QUALITY = 60;
const PHONE = { width: 390, height: 800 };

/** Starts the built server in memory, with an audit log in this folder. */
async function startServer(folder) {
  const args = ['dist/bin/tessera.js', 'start', 'memory', '--user', USER, '--pass', PASS, '--bind', '127.0.0.1:0'];
  const server = spawn(process.execPath, [...args, '--no-banner', '--allow-experimental', 'graphql'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, SVC_AUDIT_LOG: join(folder, 'audit.log') },
  });
  let log = '';
  const url = await new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error(`The server did not start:\n${log}`)));
    server.stderr.on('data', (chunk) => {
      log += chunk;
      const found = /"url":"([^"]+)".*"Listening"/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return { server, url };
}

function load(url) {
  const account = ['--user', USER, '--pass', PASS, '--employee-pass', 'staff only'];
  execFileSync(process.execPath, ['examples/music-shop/load.mjs', '--endpoint', url, ...account]);
}

async function signIn(page, url) {
  await page.goto(`${url}/studio`);
  for (const [label, value] of Object.entries({ User: USER, Password: PASS, Namespace: 'shop', Database: 'music' })) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
}

const openView = (page, title) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: title, exact: true }).click();

async function openTable(page) {
  await openView(page, 'Explore');
  await page.getByRole('complementary').getByRole('link', { name: 'track', exact: true }).click();
  await page.getByRole('grid').getByRole('link', { name: 'track:10', exact: true }).waitFor();
  await page.locator('#view').evaluate((view) => {
    view.scrollTop = 0;
  });
}

async function openImport(page) {
  await page.goto(`${new URL(page.url()).origin}/studio#/explore/import/track`);
  await page.getByLabel('Or paste it here').fill(TRACKS);
  await page.getByRole('region', { name: 'Preview' }).getByRole('row').nth(3).waitFor();
  await page.getByRole('region', { name: 'Preview' }).scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: /^Import \d/ }).scrollIntoViewIfNeeded();
}

const TRACKS = `id,name,album,seconds,milliseconds,unit_price
901,Northern Lights,album:3,214,214000,0.99
902,"Rain, Again",album:3,187,187500,0.99
903,Last Train,album:4,,about 3 min,1.29`;

async function openRecord(page) {
  await page.goto(`${new URL(page.url()).origin}/studio#/explore/record/${encodeURIComponent('album:1')}`);
  await page.getByRole('region', { name: 'Neighbours' }).getByRole('table').waitFor();
  await page.getByRole('region', { name: 'Linked from' }).getByRole('row').nth(1).waitFor();
}

/** The history of a record that is changed twice. */
async function openHistory(page) {
  const url = new URL(page.url()).origin;
  const headers = {
    accept: 'application/json',
    'svc-ns': 'shop',
    'svc-db': 'music',
    authorization: `Basic ${Buffer.from(`${USER}:${PASS}`).toString('base64')}`,
  };
  const body = `ALTER TABLE track CHANGEFEED 7d INCLUDE ORIGINAL; UPDATE track:7 SET unit_price = 1.29dec;
    UPDATE track:7 SET name = 'Harbour Lights (Live)', composer = NONE`;
  await fetch(`${url}/sql`, { method: 'POST', headers, body });
  await page.goto(`${url}/studio#/explore/record/${encodeURIComponent('track:7')}`);
  await page.getByRole('button', { name: 'Show the history' }).click();
  await page
    .getByRole('button', { name: /^Put back/ })
    .first()
    .waitFor();
  await page.getByRole('region', { name: 'History', exact: true }).evaluate((section) => {
    const box = section.closest('.shown');
    box.scrollTop += section.getBoundingClientRect().top - box.getBoundingClientRect().top;
  });
}

/** A field that is renamed, with the form of another field open. */
async function openDesigner(page) {
  await page.goto(`${new URL(page.url()).origin}/studio#/schema/designer`);
  const artist = page.getByRole('article', { name: 'Table artist' });
  const keep = () => page.getByRole('complementary').getByRole('button', { name: 'Keep', exact: true }).click();
  await artist.getByRole('button', { name: /^name / }).click();
  await page.getByLabel('Path').fill('stage_name');
  await keep();
  await artist.getByRole('button', { name: 'Add a field to artist' }).click();
  await page.getByLabel('Path').fill('born');
  await page.getByRole('combobox', { name: 'Type' }).fill('option<datetime>');
  await page.keyboard.press('Escape');
}

/** A bucket with covers of albums, each in a folder. */
async function openFiles(page) {
  const url = new URL(page.url()).origin;
  const headers = {
    accept: 'application/json',
    'svc-ns': 'shop',
    'svc-db': 'music',
    authorization: `Basic ${Buffer.from(`${USER}:${PASS}`).toString('base64')}`,
  };
  const body = `DEFINE BUCKET booklets MAXSIZE 10000000 TYPES 'text/*', 'application/pdf' PERMISSIONS FOR get, head FULL;
    DEFINE BUCKET covers MAXSIZE 1000000 TYPES 'image/*', 'text/*'
      PERMISSIONS FOR get, head FULL, FOR list, put, delete WHERE owner = $auth.id;
    FOR $album IN (SELECT id, title FROM album ORDER BY id LIMIT 6) {
      LET $svg = string::concat('<svg xmlns="http://www.w3.org/2000/svg"/>', $album.title);
      type::file('covers', string::concat(string::slug($album.title), '.svg')).put($svg);
    };
    f'covers:/drafts/first.txt'.put('A draft'); f'covers:/scans/back.txt'.put('The back')`;
  await fetch(`${url}/sql`, { method: 'POST', headers, body });
  await page.goto(`${url}/studio#/files/bucket/covers`);
  await page.getByText('Rules and limits').click();
  await page.getByRole('region', { name: 'Files', exact: true }).getByRole('row').nth(7).waitFor();
}

/** Each picture, and how the page comes to what it shows. */
const PICTURES = [
  ['explore', { viewport: LOW }, openTable],
  ['explore-dark', { viewport: LOW, colorScheme: 'dark' }, openTable],
  ['explore-phone', { viewport: PHONE }, openTable],
  ['import', { viewport: HIGH }, openImport],
  ['record', {}, openRecord],
  ['history', { viewport: LOW }, openHistory],
  ['files', {}, openFiles],
  [
    'query',
    {},
    async (page) => {
      await openView(page, 'Query');
      await page.getByRole('textbox', { name: 'Statements' }).fill(QUERY);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('grid').first().waitFor();
    },
  ],
  [
    'schema',
    {},
    async (page) => {
      await openView(page, 'Schema');
      await page.getByRole('link', { name: 'Designer' }).click();
      await page.getByRole('article', { name: 'Table artist' }).waitFor();
      for (let step = 0; step < 2; step++) await page.getByRole('button', { name: 'Smaller' }).click();
    },
  ],
  ['designer', {}, openDesigner],
  [
    'permissions',
    {},
    async (page) => {
      await openView(page, 'Permissions');
      await page.getByRole('table').first().waitFor();
    },
  ],
  [
    'compare',
    {},
    async (page) => {
      await openView(page, 'Permissions');
      for (const [which, customer] of Object.entries({ first: 'customer:1', second: 'customer:2' })) {
        await page.getByLabel(`${which === 'first' ? 'First' : 'Second'} user`).selectOption('A record user');
        await page.getByLabel(`Record of the ${which}`).fill(customer);
        await page.getByRole('combobox', { name: `Signed in by access of the ${which}` }).fill('customer');
      }
      await page.getByLabel('Statement').fill('SELECT * FROM invoice ORDER BY id LIMIT 20');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('region', { name: 'Comparison' }).waitFor();
      // Within the view alone: the frame around it stays.
      await page.getByRole('heading', { name: 'Compare two users' }).evaluate((heading) => {
        heading.closest('#view').scrollTop += heading.getBoundingClientRect().top - 60;
      });
    },
  ],
  [
    'people',
    {},
    async (page) => {
      await openView(page, 'People');
      await page.getByRole('table').first().waitFor();
    },
  ],
  [
    'audit-log',
    {},
    async (page) => {
      await openView(page, 'People');
      await page.getByRole('tab', { name: 'Audit log' }).click();
      await page.getByRole('table').first().waitFor();
    },
  ],
  [
    'api',
    {},
    async (page) => {
      await page.goto(`${new URL(page.url()).origin}/studio#/api/table/customer`);
      await page.getByRole('region', { name: 'Read' }).waitFor();
    },
  ],
  [
    'server',
    {},
    async (page) => {
      await openView(page, 'Server');
      await page.locator('main svg').first().waitFor();
      // Charts have lines once there are several readings.
      await page.waitForTimeout(20_000);
    },
  ],
];

const QUERY = `-- What sold best
SELECT track.album.artist.name AS artist, count() AS sold
FROM invoice_line GROUP BY artist ORDER BY sold DESC LIMIT 12;`;

async function takePictures(browser, url) {
  mkdirSync(values.folder, { recursive: true });
  for (const [name, options, open] of PICTURES) {
    const page = await browser.newPage({ viewport: WIDE, ...options });
    page.setDefaultTimeout(15_000);
    await signIn(page, url);
    await open(page);
    await page.evaluate(() => document.fonts.ready);
    // Nothing looks as if it were pointed at.
    await page.mouse.move(0, 0);
    const file = join(values.folder, `${name}.jpg`);
    await page.screenshot({ path: file, type: 'jpeg', quality: QUALITY, animations: 'disabled' });
    console.log(`${file}: ${Math.ceil(statSync(file).size / 1024)} KiB`);
    await page.close();
  }
}

/** Of a browser that has nothing cached: the median of several loads of the page, and what came over the network. */
async function measure(browser, url) {
  const paints = [];
  let bytes = 0;
  for (let round = 0; round < 5; round++) {
    const page = await (await browser.newContext({ viewport: WIDE })).newPage();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`${url}/studio`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    paints.push(
      await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN),
    );
    await page.context().close();
  }
  paints.sort((a, b) => a - b);
  console.log(`first contentful paint: ${Math.round(paints[2])} ms; first load: ${Math.ceil(bytes / 1000)} KB`);
}

if (!existsSync(values.chromium)) {
  console.error(`There is no browser at ${values.chromium}: name one with --chromium`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'tessera-studio-'));
const { server, url } = await startServer(folder);
const browser = await chromium.launch({
  executablePath: values.chromium,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--force-color-profile=srgb'],
});
try {
  if (values.measure) await measure(browser, url);
  else {
    load(url);
    await takePictures(browser, url);
  }
} finally {
  await browser.close();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
