/**
 * The ceiling of event streams: a bare server that writes a given number of events to all its open responses, one by
 * one, on request.
 */
import { createServer, type ServerResponse } from 'node:http';

const responses = new Set<ServerResponse>();
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': open\n\n');
    responses.add(response);
    response.once('close', () => responses.delete(response));
    return;
  }
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    response.end();
    const { frame, count } = JSON.parse(body);
    for (let i = 0; i < count; i++) for (const one of responses) one.write(frame);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
