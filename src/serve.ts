/**
 * Runs an instance: starts it, serves, and on SIGTERM or SIGINT drains and stops it.
 */
import type { Server, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { format } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import { DEFAULT_PORT } from './config/environment.ts';
import { createAdmittingServer } from './http/admission/admission.ts';
import type { ConfiguredKey } from './identity/configured.ts';
import { makeKey } from './identity/credentials.ts';
import { onSignal } from './signals.ts';
import { createLogger } from './telemetry/log.ts';
import { nextSignIn, welcome } from './welcome.ts';
import { type Services, wire } from './wire/wire.ts';

/** Time that requests in flight have to finish, after the drain delay. */
const STOP_WITHIN_MS = 6500;

export interface ServeOptions {
  /** True if a person is told where the dashboard is once the instance is ready. If a key is made up, it always is. */
  readonly greets?: boolean;
  /** The key of the tenant local, if no tenants are configured; a new one by default. */
  readonly localKey?: string;
  /** Called once the instance has stopped, before the process ends. */
  readonly onStopped?: () => Promise<void>;
}

/**
 * Starts an instance. Returns once it is ready.
 * @throws Error with a message for the operator, if it cannot work
 */
export async function run(
  config: Config,
  { greets = false, localKey = makeKey('local'), onStopped = async () => {} }: ServeOptions,
): Promise<void> {
  const log = createLogger(config.logLevel);
  // Libraries that print advice of their own, such as ioredis about passwords.
  console.warn = (...words: unknown[]) => log.debug(format(...words));
  for (const warning of config.warnings) log.warn(warning);
  const local: ConfiguredKey = { key: localKey, tenant: 'local', tier: 'Enterprise' };
  const isMadeUp = config.database === null && config.apiKeys === undefined;
  const services = await wire(config, config.apiKeys ?? (isMadeUp ? [local] : []), log);
  const { maxInFlight, trustedProxies } = config;
  const admission = { maxInFlight, trustedProxies, log, metrics: services.metrics };
  const server = createAdmittingServer(getRequestListener(services.app.fetch), admission);
  const url = await listen(server, config);
  if (services.metrics !== null && config.metricsPort !== undefined) {
    const { serveMetrics } = await import('./telemetry/metrics.ts');
    const [metricsServer, metricsUrl] = await serveMetrics(services.metrics, config.host, config.metricsPort);
    metricsServer.unref();
    log.info({ metricsUrl }, 'metrics');
  }
  if (services.startFault !== null)
    log.info({ url, role: config.role, reason: services.startFault }, 'listening, not ready');

  onSignal((signal) => {
    log.info({ signal }, 'leaving');
    // A person at a terminal need not wait for load balancers. An instance that never was ready has no callers.
    const delayMs = signal === 'SIGTERM' && services.startFault === null ? config.drainDelayMs : 0;
    void drain(services, server, delayMs, log, onStopped);
  });
  await services.started;
  const { signInToken } = services;
  const seenAt = config.publicUrl ?? url;
  // Without the greeting, nobody would have the link.
  if ((isMadeUp || greets || signInToken !== null) && config.role !== 'worker')
    process.stdout.write(welcome(seenAt, config, isMadeUp ? local.key : null, signInToken?.current ?? null));
  signInToken?.onNext((next) => process.stdout.write(nextSignIn(seenAt, next)));
  log.info({ url, role: config.role }, 'ready');
}

/**
 * Stops the instance and ends the process.
 * @param delayMs how long requests are still served as before, while readiness fails
 */
async function drain(
  services: Services,
  server: Server,
  delayMs: number,
  log: Logger,
  onStopped: () => Promise<void>,
): Promise<never> {
  // It also keeps the process running until its end below: nothing else may do so while onStopped() waits.
  setTimeout(() => process.exit(1), delayMs + STOP_WITHIN_MS);
  services.unready();
  // Clients then close their connections themselves, after a response: no request is lost on a closed connection.
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
  await onStopped();
  process.exit(0);
}

/**
 * Listens at the configured port. If none is configured, listens at the default port or, if that is taken, at any free
 * one.
 * @returns the address
 * @throws Error if a port is configured and cannot be used
 */
async function listen(server: Server, { host, port }: Config): Promise<string> {
  const tryPort = (candidate: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(candidate, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await tryPort(port ?? DEFAULT_PORT);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (port !== undefined || code !== 'EADDRINUSE') throw new Error(`cannot listen at ${host}:${port}: ${code}`);
    await tryPort(0);
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  // Nobody can open the address that stands for all addresses.
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${bound}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}
