// The floor: fastify and ws with nothing behind them.
import { createRequire } from 'node:module';

const load = createRequire(new URL('../package.json', import.meta.url));
const fastify = load('fastify')();
const { WebSocketServer } = load('ws');

fastify.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
fastify.post('/', (request, reply) => reply.type('application/json').send(request.body ?? ''));
await fastify.listen({ host: '127.0.0.1', port: 0 });
new WebSocketServer({ server: fastify.server }).on('connection', (socket) =>
  socket.on('message', (data, binary) => socket.send(data, { binary })),
);
console.log(`127.0.0.1:${fastify.server.address().port}`);

// So that a profile is written: SERVER_FLAGS=--cpu-prof.
process.on('SIGTERM', () => process.exit(0));
