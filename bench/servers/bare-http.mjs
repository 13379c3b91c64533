// The floor under HTTP: Node's own server, which reads a text, knows the answer, and writes it as JSON under the headers that Tessera sends.
import { createServer } from 'node:http';
import { answerTo } from './told-answers.mjs';

let count = 0;
const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const text = (pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)).toString();
    const body = JSON.stringify(answerTo(text));
    response.writeHead(200, {
      'x-request-id': `bare-${(count++).toString(36)}`,
      'x-content-type-options': 'nosniff',
      server: 'bare/0.1.0',
      'surreal-version': 'none',
      'access-control-allow-origin': '*',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
