/**
 * Instances of the service in this process, wired as main.ts wires them, each listening on a port of its own. A tenant
 * that is made up here is nobody else's, so tests share one Redis.
 */
import { randomBytes } from 'node:crypto';
import { getRequestListener } from '@hono/node-server';
import { inject } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createAdmittingServer } from '../../src/http/admission/admission.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { makeKey } from '../../src/identity/credentials.ts';
import type { SlackSite } from '../../src/outgoing/slack.ts';
import { createPatientRedis, type RedisClient } from '../../src/redis/client.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { wire } from '../../src/wire/wire.ts';
import { type Client, createClient } from './client.ts';
import { STEERED_CLOCK } from './clock.ts';

export const makeTenant = (): string => `t-${randomBytes(8).toString('hex')}`;

export interface Instance extends Client {
  readonly url: string;
  readonly tenant: string;
  readonly key: string;
  /** A plain client of the same Redis, for looking and for steering. */
  readonly redis: RedisClient;
  readonly logged: string[];
  /** The token of the link that signs in on this machine. With LOCAL_SIGN_IN=true only. */
  signInToken(): string;
  /** Its metrics: needs METRICS_PORT to be set, but listens nowhere. */
  scrape(): Promise<string>;
  leave(): void;
  stop(): Promise<void>;
}

export interface InstanceOptions {
  readonly keys?: readonly ConfiguredKey[];
  readonly env?: Readonly<Record<string, string>>;
  readonly includes?: Readonly<Record<string, string>>;
  readonly redisUrl?: string;
  readonly slack?: SlackSite;
  /** Where it listens; 0, the default: at any free one */
  readonly port?: number;
  /** The address of this machine at which it listens; 127.0.0.1 by default. */
  readonly host?: string;
}

/** Starts an instance; role api unless env says otherwise. Its client uses the first key. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const { redisUrl = inject('redisUrl'), env = {}, port = 0, host = '127.0.0.1', slack } = options;
  // Workers also sweep the tenants of other tests, some of which have a clock of their own.
  const { includes = (env.ROLE ?? 'api') === 'api' ? {} : { 'frame/now': STEERED_CLOCK } } = options;
  const keys = options.keys ?? [makeConfiguredKey(makeTenant())];
  const logged: string[] = [];
  const log = createLogger('trace', { write: (line) => void logged.push(line) });
  const config = readConfig({ REDIS_URL: redisUrl, ROLE: 'api', MAX_FAILED_AUTHENTICATIONS: '1000000', ...env });
  const services = await wire(config, keys, log, { includes, ...(slack && { slack }) });
  const { maxInFlight, trustedProxies } = config;
  const admission = { maxInFlight, trustedProxies, log, metrics: services.metrics };
  const server = createAdmittingServer(getRequestListener(services.app.fetch), admission);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  const url = `http://${host}:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const redis = createPatientRedis(redisUrl);
  const { key = '', tenant = '' } = keys[0] ?? {};
  return {
    ...createClient(url, key),
    url,
    tenant,
    key,
    redis,
    logged,
    signInToken: () => services.signInToken?.current ?? '',
    scrape: async () => (await services.metrics?.text()) ?? '',
    leave: services.leave,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      redis.disconnect();
      await services.close();
    },
  };
}

export const makeConfiguredKey = (tenant: string, label?: string): ConfiguredKey => ({
  key: makeKey(tenant),
  tenant,
  tier: 'Enterprise',
  label,
});
