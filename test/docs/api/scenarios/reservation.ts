/** Reservations: reserve, release, renew, transactions, waits, and who has what. */
import { textAt } from '../recorder.ts';
import type { Stage } from '../world.ts';

const NIGHTLY = 'https://ci.example.com/4711';
const worker1 = { resource: 'printer', requester: 'worker-1' };
const worker2 = { resource: 'printer', requester: 'worker-2' };
const deploy = { requester: 'deploy-812', ttlSeconds: 900 };

export async function reservation(stage: Stage): Promise<void> {
  const { record, key } = stage;
  await record.quiet('registerResources', {
    by: key,
    body: [
      { name: 'phones', capacity: 4 },
      { name: 'pixel-8', labels: { os: 'android', size: 'l' } },
      { name: 'iphone-15', labels: { os: 'ios', size: 'l' } },
      { name: 'staging-db', treePath: 'staging' },
      { name: 'staging-web', treePath: 'staging' },
      { name: 'meeting-room', capacity: 2, treePath: 'office>floor-1', blocks: ['projector'], groups: true },
    ],
  });
  const token = await reserving(stage);
  await refusing(stage);
  await renewing(stage, token);
  await transactions(stage);
  await releasing(stage, token);
  await looking(stage);
  await waiting(stage);
  await ending(stage);
}

async function reserving({ record, key }: Stage): Promise<string> {
  const lock = [{ ...worker1, ttlSeconds: 60, note: NIGHTLY }];
  const { body } = await record.show('Take a lock for 60 seconds', 'reserve', { by: key, body: lock });
  await record.show('Somebody else holds it', 'reserve', { by: key, body: [{ ...worker2, ttlSeconds: 60 }] });
  await record.show('Ask again: the same requester gets the same token', 'reserve', { by: key, body: lock });
  await record.show('Wait for a turn of at most 5 minutes', 'reserve', {
    by: key,
    query: '?pollSeconds=0',
    body: [{ ...worker2, ttlSeconds: 60, waitSeconds: 300 }],
  });
  await record.quiet('cancel', { by: key, body: [worker2] });
  await record.show('Take two phones of a pool', 'reserve', {
    by: key,
    body: [{ resource: 'phones', requester: 'test-7', count: 2, ttlSeconds: 600 }],
  });
  await record.show('Take any resource that has these labels', 'reserve', {
    by: key,
    body: [{ match: { os: 'android', size: ['l', 'xl'] }, requester: 'test-8', ttlSeconds: 600 }],
  });
  await record.show('Take a leaf of a tree, with what it blocks', 'reserve', {
    by: key,
    body: [{ resource: 'meeting-room', requester: 'ann', ttlSeconds: 3600 }],
  });
  await record.show('Share a hold with other readers', 'reserve', {
    by: key,
    body: [{ resource: 'test-data', requester: 'reader-7', mode: 'SHARED', ttlSeconds: 300 }],
  });
  await record.show('Ask what would happen, without doing it', 'reserve', {
    by: key,
    query: '?dryRun=true',
    body: [{ resource: 'phones', requester: 'test-9', count: 3, ttlSeconds: 600 }],
  });
  await record.show('Get a short result', 'reserve', { by: key, headers: { Prefer: 'return=minimal' }, body: lock });
  return textAt(body, 0, 'releaseToken');
}

async function refusing({ record, key, readKey, nobody, wrongKey }: Stage): Promise<void> {
  const body = [{ ...worker1, ttlSeconds: 60 }];
  await record.show('A field that does not exist', 'reserve', { by: key, body: [{ ...worker1, ttl: 60 }] });
  await record.show('A value that is out of range', 'reserve', { by: key, body: [{ ...worker1, ttlSeconds: 0 }] });
  await record.show('A key that may only read', 'reserve', { by: readKey, body });
  await record.show('No key', 'reserve', { by: nobody, body });
  await record.show('A wrong key', 'reserve', { by: wrongKey, body });
  const repeat = { 'Idempotency-Key': '0c9bd3a6-7f3e-4a6b-9d0a-5a1f6d8b2c11' };
  await record.quiet('reserve', { by: key, headers: repeat, body });
  await record.show('Another request with the same Idempotency-Key', 'reserve', {
    by: key,
    headers: repeat,
    body: [{ ...worker1, resource: 'scanner', ttlSeconds: 60 }],
  });
}

async function renewing({ record, key, owner }: Stage, releaseToken: string): Promise<void> {
  await record.show('Keep the lock for another 60 seconds', 'renew', {
    by: key,
    body: [{ ...worker1, releaseToken, ttlSeconds: 60 }],
  });
  const lost = { resource: 'bench-3', requester: 'worker-9', ttlSeconds: 60 };
  const { body } = await record.quiet('reserve', { by: key, body: [lost] });
  await record.quiet('unreserve', { by: owner, body: [{ resource: lost.resource, requester: lost.requester }] });
  await record.show('Learn who took it away', 'renew', {
    by: key,
    body: [{ ...lost, releaseToken: textAt(body, 0, 'releaseToken') }],
  });
}

async function transactions({ record, key }: Stage): Promise<void> {
  const all = (...requests: object[]) => ({ method: 'ALL_OR_NONE', requests });
  const reserve = (resource: string, requester = deploy.requester) => ({
    requestType: 'RESERVE',
    resource,
    ...deploy,
    requester,
  });
  const { body } = await record.show('Take two resources or none', 'transaction', {
    by: key,
    body: all(reserve('cluster-a'), reserve('database-a')),
  });
  await record.show('One of them is held, so nothing is taken', 'transaction', {
    by: key,
    body: all(reserve('cluster-b', 'deploy-813'), reserve('database-a', 'deploy-813')),
  });
  await record.show('Move from one resource to another', 'transaction', {
    by: key,
    body: all(
      {
        requestType: 'UNRESERVE',
        resource: 'cluster-a',
        requester: deploy.requester,
        releaseToken: textAt(body, 'results', 0, 'releaseToken'),
      },
      reserve('cluster-c'),
    ),
  });
  await record.show('Take the first that is free', 'transaction', {
    by: key,
    body: { method: 'FIRST', requests: [reserve('database-a', 'deploy-814'), reserve('database-b', 'deploy-814')] },
  });
  await record.show('Wait for two resources together', 'transaction', {
    by: key,
    query: '?pollSeconds=0',
    body: { ...all(reserve('database-a', 'deploy-815'), reserve('cluster-c', 'deploy-815')), waitSeconds: 300 },
  });
  await record.quiet('cancel', { by: key, body: [{ resource: 'database-a', requester: 'deploy-815' }] });
}

async function releasing({ record, key }: Stage, releaseToken: string): Promise<void> {
  await record.show('A wrong release token', 'unreserve', {
    by: key,
    body: [{ ...worker1, releaseToken: 'not the token' }],
  });
  await record.show('Ask what would happen, without doing it', 'unreserve', {
    by: key,
    query: '?dryRun=true',
    body: [{ ...worker1, releaseToken }],
  });
  await record.show('Release a lock', 'unreserve', { by: key, body: [{ ...worker1, releaseToken }] });
  await record.show('Release it again', 'unreserve', { by: key, body: [{ ...worker1, releaseToken }] });
}

async function looking({ record, key }: Stage): Promise<void> {
  await record.show('Ask about a pool and about one resource', 'check', {
    by: key,
    body: [{ resource: 'phones' }, { resource: 'database-a', requester: 'deploy-812' }],
  });
  await record.show('List the reservations of a requester', 'listReservations', {
    by: key,
    query: '?requester=test-7',
  });
  await record.show('List those of a resource', 'listReservations', { by: key, query: '?resource=meeting-room' });
  await record.show('The latest entries', 'listHistory', { by: key, query: '?limit=2' });
  await record.show('Those of a resource, as CSV', 'listHistory', { by: key, query: '?resource=printer&format=csv' });
}

async function waiting({ record, key }: Stage): Promise<void> {
  const held = { resource: 'gpu', requester: 'train-1', ttlSeconds: 3600 };
  const next = { resource: 'gpu', requester: 'train-2' };
  await record.quiet('reserve', { by: key, body: [held] });
  await record.quiet('reserve', {
    by: key,
    query: '?pollSeconds=0',
    body: [{ ...next, ttlSeconds: 3600, waitSeconds: 600, note: 'weekly training' }],
  });
  await record.quiet('reserve', {
    by: key,
    query: '?pollSeconds=0',
    body: [{ ...next, requester: 'train-3', ttlSeconds: 600, waitSeconds: 600, priority: 10 }],
  });
  await record.show('Who waits for a GPU', 'listWaiting', { by: key, query: '?resource=gpu' });
  await record.show('Leave the queue', 'cancel', { by: key, body: [next] });
  await record.show('Leave it again', 'cancel', { by: key, body: [next] });
}

async function ending({ record, key }: Stage): Promise<void> {
  await record.show('End them all', 'reset', { by: key });
}

/** Sessions: one heartbeat for many reservations. */

export async function session({ record, key }: Stage): Promise<void> {
  const requester = 'test-run-42';
  const begin = { requester, ttlSeconds: 30 };
  const { body } = await record.show('Begin a session of 30 seconds', 'beginSession', { by: key, body: begin });
  const session = textAt(body, 'session');
  const token = textAt(body, 'token');
  const proof = { session, token };
  await record.quiet('reserve', {
    by: key,
    body: [
      { resource: 'phone-1', requester, session },
      { resource: 'phone-2', requester, session },
    ],
  });
  await record.show('Two reservations last as long as this session', 'listSessions', { by: key });
  await record.show('Keep it for another 30 seconds', 'renewSession', { by: key, body: proof });
  await record.show('A wrong token', 'renewSession', { by: key, body: { ...proof, token: 'not the token' } });
  await record.show('End it, with its two reservations', 'endSession', { by: key, body: proof });
  await record.show('End it again', 'endSession', { by: key, body: proof });
}
