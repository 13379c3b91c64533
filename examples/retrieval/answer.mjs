// Serves a page, and answers its questions: the database finds what the member may read, a model answers from that.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { readOptions } from '../../scripts/options.mjs';
import { SERVER_OPTIONS } from './client.mjs';
import { embed } from './embed.mjs';
import { answerOf, promptOf } from './model.mjs';

const HELP = `Serves a page on which the members of a team ask questions, and answers them.

  node examples/retrieval/answer.mjs [options]

  --endpoint URL     the server of the database (http://127.0.0.1:8000)
  --port N           where the page is served (5173)
  -h, --help         prints this`;
const { values: options } = readOptions(HELP, {
  options: { ...SERVER_OPTIONS, port: { type: 'string', default: '5173' } },
});

const read = (name) => readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');
const FILES = {
  '/': { type: 'text/html', text: read('index.html').replace('{endpoint}', options.endpoint) },
  '/ask.js': { type: 'text/javascript', text: read('ask.js') },
  '/page.css': { type: 'text/css', text: read('page.css') },
};
/** Characters of a question. */
const LONGEST = 2_000;

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'POST' && request.url === '/answer') return await answer(request, response);
    const file = FILES[request.url ?? ''];
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': `${file?.type ?? 'text/plain'}; charset=utf-8`,
    });
    response.end(file?.text);
  } catch (error) {
    if (!response.headersSent) response.writeHead(502);
    response.end(String(error.message));
  }
});
server.listen(Number(options.port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});

/** One line of JSON with the sources, then the answer as it is made. */
async function answer(request, response) {
  let question = '';
  for await (const chunk of request.setEncoding('utf8')) {
    question += chunk;
    if (question.length > LONGEST) return response.writeHead(413).end();
  }
  const chunks = await retrieve(request.headers.authorization ?? '', question);
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  response.write(`${JSON.stringify(chunks.map(({ page, heading }) => ({ page, heading })))}\n`);
  for await (const piece of answerOf(promptOf(question, chunks))) response.write(piece);
  response.end();
}

/** With the member's own token: the rules of the database decide what is found. */
async function retrieve(authorization, question) {
  const answered = await fetch(`${options.endpoint}/rpc`, {
    method: 'POST',
    headers: {
      authorization,
      'svc-ns': 'example',
      'svc-db': 'retrieval',
      accept: 'application/json',
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      id: 1,
      method: 'query',
      params: ['fn::retrieve($question, <array<float>> $vector, 5)', { question, vector: embed(question) }],
    }),
  });
  const { result, error } = await answered.json();
  const [found] = result ?? [];
  if (found?.status !== 'OK') throw new Error(error?.message ?? found?.result ?? `${answered.status}`);
  return found.result;
}
