// How many of the nearest neighbours the index finds, beside an exact search, for your own data. `--help` tells the options.
import { readOptions } from '../../scripts/options.mjs';
import { asRoot, ROOT_OPTIONS } from './client.mjs';
import { embed } from './embed.mjs';

const HELP = `Prints the recall of searches by the index: the share of the K nearest by an exact search that they find, for each EF.

  node examples/retrieval/recall.mjs [options]

  --endpoint URL             the server (http://127.0.0.1:8000)
  --user NAME, --pass TEXT   a root user
  --k N                      how many neighbours (10)
  --ef N,N,…                 how many vectors are looked at to begin with (10,40,100,200)
  --questions N              how many (100); headings of chunks, drawn by chance, stand for them
  -h, --help                 prints this`;
const { values: options } = readOptions(HELP, {
  options: {
    ...ROOT_OPTIONS,
    k: { type: 'string', default: '10' },
    ef: { type: 'string', default: '10,40,100,200' },
    questions: { type: 'string', default: '100' },
  },
});
const k = Number(options.k);

const run = await asRoot(options.endpoint, options);
const headings = await run('SELECT VALUE heading FROM chunk ORDER BY rand() LIMIT $most', {
  most: Number(options.questions),
});
const vectors = headings.map((heading) => embed(heading));
/** `k` and `ef` are part of the text of a statement, the vector is a parameter. */
const search = (how) => (vector) =>
  run(`SELECT VALUE id FROM chunk WHERE vector <|${k},${how}|> <array<float>> $vector`, { vector });

const exact = [];
for (const vector of vectors) exact.push(await search('COSINE')(vector));
for (const ef of options.ef.split(',').map(Number)) {
  let hits = 0;
  for (const [at, vector] of vectors.entries()) {
    const found = new Set(await search(ef)(vector));
    hits += exact[at].filter((id) => found.has(id)).length;
  }
  const wanted = exact.reduce((sum, ids) => sum + ids.length, 0);
  console.log(`ef ${ef}: recall@${k} ${(hits / wanted).toFixed(4)}`);
}
