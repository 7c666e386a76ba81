/** Resources: pools, trees, labels, and how much they are used. */
import { addEnded } from '../../../support/watch.ts';
import { textAt } from '../recorder.ts';
import type { Stage } from '../world.ts';

const HOUR_MS = 3_600_000;

export async function resource(stage: Stage): Promise<void> {
  const { record, key } = stage;
  await registering(stage);
  await record.show('All of them', 'listDefinitions', { by: key });
  await record.show('Those with a label', 'listDefinitions', { by: key, query: '?label=os=android' });
  await conditions(stage);
  await record.show('Trees with their free slots', 'getTree', { by: key });
  await record.show('Is a phone free?', 'isAvailable', { by: key, path: { resource: 'phones' } });
  await usage(stage);
  await record.show('Delete a resource', 'deleteResource', { by: key, path: { name: 'pixel-8' } });
  await record.show('It has others below it', 'deleteResource', { by: key, path: { name: 'staging' } });
  await record.show('Delete it with all below it', 'deleteResource', {
    by: key,
    path: { name: 'staging' },
    query: '?cascade=true',
  });
  await record.show('It is held', 'deleteResource', { by: key, path: { name: 'phones' } });
}

async function registering({ record, key }: Stage): Promise<void> {
  await record.show('A pool of four phones', 'registerResources', { by: key, body: [{ name: 'phones', capacity: 4 }] });
  await record.show('A tree: staging gates its database and its web server', 'registerResources', {
    by: key,
    body: [
      { name: 'staging', capacity: 2 },
      { name: 'staging-db', treePath: 'staging' },
      { name: 'staging-web', treePath: 'staging' },
    ],
  });
  await record.show('A phone with labels, in a group', 'registerResources', {
    by: key,
    body: [{ name: 'pixel-8', treePath: 'lab', groups: true, labels: { os: 'android', size: 'l' } }],
  });
  await record.show('Rooms that take the projector along', 'registerResources', {
    by: key,
    body: [{ name: 'meeting-room', capacity: 2, blocks: ['projector'] }],
  });
  await record.show('A path that contradicts another', 'registerResources', {
    by: key,
    body: [{ name: 'galaxy-s24', treePath: 'building-2>lab' }],
  });
  await record.quiet('reserve', { by: key, body: [{ resource: 'phones_3', requester: 'test-7', ttlSeconds: 600 }] });
}

async function conditions({ record, key }: Stage): Promise<void> {
  const out = { resource: 'phones_2', condition: 'out', reason: 'display dark' };
  await record.show('A phone is broken', 'setCondition', { by: key, body: [out] });
  await record.show('A plain name has no condition', 'setCondition', {
    by: key,
    body: [{ resource: 'printer', condition: 'dirty' }],
  });
  await record.show('Those with a slot that is out of service', 'listDefinitions', {
    by: key,
    query: '?condition=out',
  });
}

async function usage({ record, key, tenant, instance }: Stage): Promise<void> {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  // One a second, each for a second, in a quarter of the last hour.
  const ended = Array.from({ length: 900 }, (_, i) => ({
    at: hour - 30 * 60_000 + i * 1000,
    number: i + 1,
    resource: 'tablet',
    requester: `test-${i}`,
  }));
  await addEnded(instance.redis, tenant, ended);
  const span = new URLSearchParams({
    resource: 'tablet',
    from: new Date(hour - 2 * HOUR_MS).toISOString(),
    to: new Date(hour).toISOString(),
    step: 'hour',
  });
  await record.show('By the hour', 'getUsage', { by: key, query: `?${decodeURIComponent(span.toString())}` });
  await record.show('As CSV', 'getUsage', { by: key, query: `?${decodeURIComponent(span.toString())}&format=csv` });
}

/** The stream of events, as it comes. */

export async function events({ record, key, instance }: Stage): Promise<void> {
  const stop = new AbortController();
  const response = await fetch(`${instance.url}/api/v1/events`, { headers: key.headers, signal: stop.signal });
  const lock = { resource: 'printer', requester: 'worker-1' };
  const { body } = await record.quiet('reserve', { by: key, body: [{ ...lock, ttlSeconds: 60 }] });
  await record.quiet('unreserve', { by: key, body: [{ ...lock, releaseToken: textAt(body, 0, 'releaseToken') }] });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (/event: UNRESERVED\ndata: .*\n\n/.test(text)) break;
  }
  stop.abort();
  record.keep('streamEvents', {
    title: 'A lock is taken and released',
    as: 'key',
    method: 'GET',
    address: '/api/v1/events',
    status: response.status,
    response: String(record.normal([unquoted(text)])).replaceAll("'", '"'),
  });
}

/** The data, so that the quotes in it are not escaped when times and numbers are found. */
const unquoted = (text: string) => text.replaceAll('"', "'");
