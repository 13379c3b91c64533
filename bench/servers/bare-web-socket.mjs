// The floor under WebSockets: `ws` alone, which reads a request as JSON, knows the answer, and writes it as JSON.
import { createRequire } from 'node:module';
import { answerTo } from './told-answers.mjs';

// The version that Tessera has.
const { WebSocketServer } = createRequire(new URL('../../package.json', import.meta.url))('ws');

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false }, () =>
  console.log(`127.0.0.1:${server.address().port}`),
);
server.on('connection', (socket) =>
  socket.on('message', (data) => {
    const { id, params } = JSON.parse(data.toString());
    socket.send(JSON.stringify({ id, result: answerTo(params[0]) }));
  }),
);
process.on('SIGTERM', () => process.exit(0));
