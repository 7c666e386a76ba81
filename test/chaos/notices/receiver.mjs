/**
 * A receiver that can be killed: `node test/chaos/notices/receiver.mjs <port> <file>`. It appends each request to the
 * file before it answers, so that the file has all that was ever confirmed. A few requests get a 500.
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, file] = process.argv.slice(2);
createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { headers } = request;
    const body = Buffer.concat(chunks).toString();
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), headers, body })}\n`);
    response.writeHead(Math.random() < 0.01 ? 500 : 204).end();
  });
}).listen(Number(port), '127.0.0.1');
