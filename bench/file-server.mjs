// What `node bench/files.mjs` is measured beside: Node's own server, which writes a body to a file and sends the file.
//
//     node bench/file-server.mjs FILE

import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';

const [, , file] = process.argv;

const server = createServer(async (request, response) => {
  if (request.method === 'PUT') {
    await pipeline(request, createWriteStream(file));
    // What it acknowledges is durable, as with the server.
    const written = await open(file, 'r+');
    await written.sync();
    await written.close();
    response.writeHead(201).end();
  } else {
    response.writeHead(200, { 'content-length': statSync(file).size });
    await pipeline(createReadStream(file), response).catch(() => undefined);
  }
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
