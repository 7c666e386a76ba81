/**
 * Receivers that attack, in a process of their own: `node test/chaos/notices/badReceivers.mjs`. Prints their ports as
 * JSON, by name, and ends with its standard input.
 */
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';

const HEAD = 'HTTP/1.1 200 OK\r\n';
const drip = (socket, text, everyMs) => {
  const timer = setInterval(() => socket.write(text()), everyMs);
  socket.once('close', () => clearInterval(timer));
};
/** Writes as fast as the peer reads, at most so many bytes. */
const flood = (socket, chunk, most) => {
  let left = most;
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= chunk.length;
      if (!socket.write(chunk)) return socket.once('drain', more);
    }
    socket.end();
  };
  more();
};

/** Name → what it does with a connection, once it has the request's headers. */
const ATTACKS = {
  // For comparison: as much to deliver.
  'none: 200 at once': (socket) => socket.end(`${HEAD}Content-Length: 0\r\n\r\n`),
  'answers 200 after 9 s': (socket) => setTimeout(() => socket.end(`${HEAD}Content-Length: 0\r\n\r\n`), 9000),
  'never answers': () => {},
  'a header each second': (socket) => {
    socket.write(HEAD);
    drip(socket, () => `X-${Math.random()}: 1\r\n`, 1000);
  },
  'headers of 1 GB': (socket) => {
    socket.write(HEAD);
    flood(socket, Buffer.from(`X-Long: ${'x'.repeat(65_000)}\r\n`), 2 ** 30);
  },
  'a body of 1 GB': (socket) => {
    socket.write(`${HEAD}Content-Length: ${2 ** 30}\r\n\r\n`);
    flood(socket, Buffer.alloc(65_536), 2 ** 30);
  },
  'an endless body, a byte a second': (socket) => {
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    drip(socket, () => '1\r\nx\r\n', 1000);
  },
  'endless answers 103': (socket) =>
    flood(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)), 2 ** 30),
  'garbage in place of HTTP': (socket) => flood(socket, Buffer.from('\0\xff'.repeat(30_000), 'latin1'), 2 ** 24),
  'closes at once': (socket) => socket.destroy(),
  'resets half way': (socket) => socket.write(HEAD.slice(0, 9), () => socket.resetAndDestroy()),
  'redirects to itself': (socket) =>
    socket.end(`HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:${socket.localPort}/again\r\nContent-Length: 0\r\n\r\n`),
  'Retry-After of a year': (socket) =>
    socket.end('HTTP/1.1 429 No\r\nRetry-After: 31536000\r\nContent-Length: 0\r\n\r\n'),
  'Retry-After that is no number': (socket) =>
    socket.end(`HTTP/1.1 503 No\r\nRetry-After: ${'9'.repeat(400)}\r\nContent-Length: 0\r\n\r\n`),
  'status 999': (socket) => socket.end('HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n'),
};

const ports = {};
const listen = (name, server) =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', 4096, () => {
      ports[name] = server.address().port;
      resolve();
    });
  });
let counts = {};
for (const [name, attack] of Object.entries(ATTACKS)) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      counts[name] = (counts[name] ?? 0) + 1;
      // Reads the rest of the request.
      socket.resume();
      attack(socket);
    });
  });
  await listen(name, server);
}
// Accepts, and reads nothing: the request cannot be sent.
await listen(
  'reads nothing',
  createServer({ pauseOnConnect: true }, (socket) => {
    counts['reads nothing'] = (counts['reads nothing'] ?? 0) + 1;
    socket.on('error', () => {});
  }),
);
// Tells how many requests each got.
await listen(
  'counts',
  createHttp((_, response) => {
    response.end(JSON.stringify(counts));
    counts = {};
  }),
);
process.stdout.write(`${JSON.stringify(ports)}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
