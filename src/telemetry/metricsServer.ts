/**
 * Serves the metrics at GET /metrics of a port of their own, which no load balancer passes on: they are for whoever
 * runs the service.
 */
import { createServer, type Server } from 'node:http';
import type { Metrics } from './metrics.ts';

/**
 * @returns the server, and where it listens
 * @throws Error where the port cannot be had
 */
export async function serveMetrics(metrics: Metrics, host: string, port: number): Promise<[Server, string]> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) => reject(new Error(`cannot serve metrics: ${message}`)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return [server, `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`];
}
