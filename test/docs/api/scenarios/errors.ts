/** Errors that any call may have, and the calls for operators. */

import { freePort } from '../../../../scripts/freePort.ts';
import { startRedisNode } from '../../../../scripts/redisServer.ts';
import { startInstance } from '../../../support/service.ts';
import { until } from '../../../support/until.ts';
import type { Stage } from '../world.ts';

const RESERVE = '/api/v1/Reservation/reserve';
const lock = [{ resource: 'printer', requester: 'worker-1', ttlSeconds: 60 }];

export async function errors({ record, key, simple, nobody }: Stage): Promise<void> {
  const post = { method: 'POST', path: RESERVE };
  await record.showError(
    'error:PATH_NOT_FOUND',
    { method: 'POST', path: RESERVE.toLowerCase() },
    { by: key, body: lock },
  );
  await record.showError('error:METHOD_NOT_ALLOWED', { method: 'GET', path: RESERVE }, { by: key });
  await record.showError('error:UNSUPPORTED_MEDIA_TYPE', post, {
    by: key,
    headers: { 'Content-Type': 'text/plain' },
    body: JSON.stringify(lock),
  });
  const long = [{ ...lock[0], note: 'x'.repeat(1_048_576) }];
  const tooLarge = { method: 'POST', path: RESERVE, body: '[…]' };
  await record.showError('error:BODY_TOO_LARGE', tooLarge, { by: key, body: long });
  await record.showError(
    'error:NOT_CONFIGURED',
    { method: 'GET', path: '/api/v1/Tenant' },
    { by: { as: 'key', headers: { 'X-Api-Key': simple.key } }, url: simple.url },
  );
  await record.show('An instance that runs', 'checkLiveness', { by: nobody });
  await record.show('An instance that serves', 'checkReadiness', { by: nobody });
  await record.show('A build of the sources', 'getVersion', { by: nobody });
}

/** Of an instance that has lost its Redis. */
export async function unavailable({ record, nobody }: Stage): Promise<void> {
  const node = await startRedisNode(() => {}, await freePort());
  const instance = await startInstance({ redisUrl: `redis://127.0.0.1:${node.port}` });
  const { url } = instance;
  const key = { as: 'key' as const, headers: { 'X-Api-Key': instance.key } };
  await until('ready', async () => (await fetch(`${url}/readyz`)).status === 200 || null);
  await node.stop();
  await record.showError('error:UNAVAILABLE', { method: 'POST', path: RESERVE }, { by: key, body: lock, url });
  await record.show('An instance that has lost Redis', 'checkReadiness', { by: nobody, url });
  await instance.stop();
}

/** Limits of the tier Free. */
export async function limits({ record, key, program, provider }: Stage): Promise<void> {
  const free = Array.from({ length: 300 }, (_, i) => ({ resource: `job-${i}`, requester: 'worker-1' }));
  await record.show('The tier Free has one key', 'createKey', { by: program, body: { label: 'second' } });
  const { issuer, jwksUrl } = provider;
  await record.show('The tier Free has no issuers', 'registerIssuer', {
    by: program,
    body: { id: 'own', issuer, audience: 'https://acme.example.com/api', jwksUrl, conditions: {} },
  });
  await record.quiet('unreserve', { by: key, body: free.slice(0, 290) });
  for (const one of free.slice(290)) await record.quiet('unreserve', { by: key, body: [one] });
  await record.showError('error:LIMIT_REACHED', { method: 'POST', path: RESERVE }, { by: key, body: lock });
}
