/**
 * A receiver of webhooks: a server on this machine that notes what it gets, and answers as a test wants.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

export interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly webhookId: string;
  /** When it came, as performance.now() counts. */
  readonly atMs: number;
}

export interface Receiver {
  readonly url: string;
  readonly got: Got[];
  /** Number of requests that wait for an answer. */
  inFlight(): number;
  /** Answers later requests so. */
  answer(by: (response: ServerResponse, got: Got) => void): void;
  stop(): Promise<void>;
}

/** Starts one that answers 204. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const got: Got[] = [];
  let inFlight = 0;
  let by: (response: ServerResponse, got: Got) => void = (response) => response.writeHead(204).end();
  const server = createServer((request, response) => {
    inFlight++;
    response.once('close', () => inFlight--);
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { headers } = request;
      const one = {
        headers,
        body: Buffer.concat(chunks).toString(),
        webhookId: String(headers['webhook-id']),
        atMs: performance.now(),
      };
      got.push(one);
      by(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`,
    got,
    inFlight: () => inFlight,
    answer: (how) => {
      by = how;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
