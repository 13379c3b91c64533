// Loads the documentation of this repository as chunks with vectors, for two teams. `--help` tells the options.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../scripts/options.mjs';
import { asRoot, ROOT_OPTIONS } from './client.mjs';
import { embed } from './embed.mjs';

const HELP = `Loads the pages of docs/ as chunks with their vectors. Two teams get a part each: "develop" the guides and the
reference, with the member ada, "operate" all else, with the member bob.

  node examples/retrieval/load.mjs --user NAME --pass PASSWORD --member-pass PASSWORD

  --endpoint URL         the server (http://127.0.0.1:8000)
  --user NAME, --pass TEXT   a root user who is an owner
  --member-pass TEXT     the password of both members
  -h, --help             prints this`;
const { values: options } = readOptions(HELP, {
  options: {
    ...ROOT_OPTIONS,
    'member-pass': { type: 'string', default: 'a long password' },
  },
});

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const FOLDERS = ['guides', 'reference', 'operating', 'internals'];
const DEVELOPERS = /^(guides|reference)\//;
/** A chunk is as long as a model can make good use of; a section that is longer gives several. */
const MOST_CHARACTERS = 1_500;
/** Records a request, so that each stays below the server's limit of 1 MiB. */
const BATCH = 100;

/** The sections of a page, in pieces that end with a paragraph. */
function chunksOf(page) {
  const sections = readFileSync(`${DOCS}${page}`, 'utf8').split(/^(?=#{1,3} )/m);
  return sections.flatMap((section) => {
    const heading = /^#+ (.*)/.exec(section)?.[1] ?? page;
    return paragraphsTogether(section).map((text) => ({ page, heading, text }));
  });
}

function paragraphsTogether(section) {
  const pieces = [];
  for (const paragraph of section.split(/\n{2,}/)) {
    const last = pieces.at(-1);
    const joined = last === undefined ? paragraph : `${last}\n\n${paragraph}`;
    if (last !== undefined && joined.length <= MOST_CHARACTERS) pieces[pieces.length - 1] = joined;
    else pieces.push(paragraph);
  }
  return pieces.filter((piece) => piece.trim() !== '');
}

const run = await asRoot(options.endpoint, options);
await run(readFileSync(new URL('schema.surql', import.meta.url), 'utf8'));
await run(
  `CREATE team:develop SET name = 'Development'; CREATE team:operate SET name = 'Operation';
   CREATE member:ada SET name = 'ada', team = team:develop, pass = crypto::argon2::generate($pass);
   CREATE member:bob SET name = 'bob', team = team:operate, pass = crypto::argon2::generate($pass);`,
  { pass: options['member-pass'] },
);

const pages = FOLDERS.flatMap((folder) => readdirSync(`${DOCS}${folder}`).map((name) => `${folder}/${name}`)).filter(
  (page) => page.endsWith('.md') && !page.endsWith('/api-report.md'),
);
const chunks = pages.flatMap((page) =>
  chunksOf(page).map((chunk) => ({
    ...chunk,
    team: DEVELOPERS.test(page) ? 'develop' : 'operate',
    // The heading says what a chunk is about: it belongs to what is measured.
    vector: embed(`${chunk.heading}\n${chunk.text}`),
  })),
);
for (let from = 0; from < chunks.length; from += BATCH) {
  await run(
    `FOR $chunk IN $chunks {
      CREATE chunk SET team = type::record('team', $chunk.team), page = $chunk.page, heading = $chunk.heading,
        text = $chunk.text, vector = <array<float>> $chunk.vector RETURN NONE
    }`,
    { chunks: chunks.slice(from, from + BATCH) },
  );
}
console.log(`${chunks.length} chunks of ${pages.length} pages`);
