/**
 * The service: wires, serves and works, and leaves in good order on SIGTERM or SIGINT.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Config } from './config/config.ts';
import { admit, SERVER_OPTIONS } from './http/admission.ts';
import type { ConfiguredKey } from './identity/configuredTenants.ts';
import { makeKey } from './identity/credentials.ts';
import { onSignal } from './signals.ts';
import { createLogger } from './telemetry/log.ts';
import { serveMetrics } from './telemetry/metricsServer.ts';
import { wire } from './wire/wire.ts';

const USUAL_PORT = 8080;
/** All that is in flight must be answered by then, once balancers have had the time to send nothing more. */
const LEAVE_WITHIN_MS = 6500;

/**
 * Starts it.
 * @throws Error with a message for whoever started it, if it cannot work
 */
export async function run(config: Config): Promise<void> {
  const log = createLogger(config.logLevel);
  const local: ConfiguredKey = { key: makeKey('local'), tenant: 'local', tier: 'Enterprise' };
  const isMadeUp = config.database === null && config.apiKeys === undefined;
  const services = await wire(config, config.apiKeys ?? (isMadeUp ? [local] : []), log);
  const { metrics } = services;
  const { maxInFlight, trustedProxies } = config;
  const admission = { maxInFlight, trustedProxies, log, metrics };
  const server = createServer(SERVER_OPTIONS, admit(getRequestListener(services.app.fetch), admission));
  const url = await listen(server, config);
  if (metrics !== null && config.metricsPort !== undefined) {
    const [metricsServer, metricsUrl] = await serveMetrics(metrics, config.host, config.metricsPort);
    metricsServer.unref();
    log.info({ metricsUrl }, 'metrics');
  }
  if (services.startFault !== null)
    log.info({ url, role: config.role, reason: services.startFault }, 'listening, not ready');

  const leave = async (signal: string) => {
    log.info({ signal }, 'leaving');
    // Somebody at a terminal need not wait.
    const delayMs = signal === 'SIGTERM' ? config.drainDelayMs : 0;
    setTimeout(() => process.exit(1), delayMs + LEAVE_WITHIN_MS).unref();
    services.unready();
    // A connection that is closed by the client, when it has its answer, is closed on no request.
    server.prependListener('request', (_, response: ServerResponse) => response.setHeader('Connection', 'close'));
    await pause(delayMs);
    services.leave();
    const closed = new Promise((resolve) => server.close(resolve));
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    await closed;
    clearInterval(idle);
    await services.close();
    log.info('left');
    log.flush();
    process.exit(0);
  };
  onSignal((signal) => void leave(signal));
  await services.started;
  if (isMadeUp && config.role !== 'worker') process.stdout.write(welcome(url, local.key));
  log.info({ url, role: config.role }, 'ready');
}

/**
 * Listens where the configuration says; where it names no port, at the usual one or else at any that is free.
 * @returns the address
 * @throws Error where a port was given and cannot be had
 */
async function listen(server: Server, { host, port }: Config): Promise<string> {
  const tryPort = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await tryPort(port ?? USUAL_PORT);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (port !== undefined || code !== 'EADDRINUSE') throw new Error(`cannot listen at ${host}:${port}: ${code}`);
    await tryPort(0);
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}

function welcome(url: string, key: string): string {
  return `
Holdfast is ready at ${url} (the dashboard: ${url}/dashboard; the interface: ${url}/docs)
No API_KEYS are configured: tenant local, key ${key}

Reserve something:
  curl -s ${url}/api/v1/Reservation/reserve -H 'X-Api-Key: ${key}' -H 'Content-Type: application/json' -d '[{"resource": "printer", "requester": "me", "ttlSeconds": 60}]'

`;
}
