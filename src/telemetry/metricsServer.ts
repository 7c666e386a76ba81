/**
 * Serves GET /metrics on a port of its own, which is for operators and not exposed by load balancers.
 */
import { createServer, type Server } from 'node:http';
import type { Metrics } from './metrics.ts';

/**
 * @returns the server and the URL of the metrics
 * @throws Error if the port cannot be used
 */
export async function serveMetrics(metrics: Metrics, host: string, port: number): Promise<[Server, string]> {
  const server = createServer((request, response) => {
    // Node sends no body in an answer to HEAD.
    if (!['GET', 'HEAD'].includes(request.method ?? '') || request.url !== '/metrics') {
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
