/** `holdfast why`, and what else says who is in the way. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, holdfast } from '../../support/commandLine.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
beforeAll(async () => {
  service = await startInstance();
  await service.register(
    { name: 'env', capacity: 2 },
    { name: 'api', treePath: 'env' },
    { name: 'web', treePath: 'env' },
    { name: 'rigA', blocks: ['left'] },
    { name: 'rigB', blocks: ['left'] },
  );
});
afterAll(() => service.stop());
beforeEach(() => service.reset());

const run = (args: readonly string[]): Promise<Ended> =>
  holdfast(args, { env: { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key } });
const take = (requester: string, resource: string, more = {}) =>
  service.reserve({ requester, resource, ttlSeconds: 300, note: `${resource} test`, ...more });
const wait = (requester: string, resource: string) =>
  service.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    { requester, resource, ttlSeconds: 60, waitSeconds: 300, note: 'waiter' },
  ]);
const sentence = async (resource: string) => {
  const { code, stdout } = await run(['why', resource]);
  expect(code).toBe(1);
  return stdout;
};

describe('holdfast why', () => {
  test('says who holds a plain name, and that nobody waits', async () => {
    await take('ann', 'printer');
    expect(await sentence('printer')).toMatch(
      /^printer is not free\.\n {2}ann has held it for \d+s \(printer test\); its lease ends in (5m|4m5\ds)\.\n {2}Nobody waits\.\n$/,
    );
  });

  test('says who is next, and how many more wait', async () => {
    await take('ann', 'printer');
    await wait('bob', 'printer');
    await wait('cleo', 'printer');
    expect(await sentence('printer')).toMatch(/Next is bob \(waiter\), who has waited for \d+s; 1 more waits\.\n$/);
  });

  test('says who fills the resource above', async () => {
    await take('loadtest', 'env', { count: 2 });
    expect(await sentence('api')).toMatch(
      /^api is not free: env above it is full\.\n {2}loadtest has held env_0 and env_1 for \d+s \(env test\); /,
    );
  });

  test('says through which resource below', async () => {
    await take('ann', 'web');
    await take('bob', 'env');
    expect(await sentence('api')).toMatch(
      /env above it is full\.\n {2}ann has held web, which takes env_0 along, for .*\.\n {2}bob has held env_1 for /,
    );
  });

  test('says who holds what takes a resource along, and names no system requester', async () => {
    await take('rigger', 'rigA');
    expect(await sentence('left')).toMatch(
      /^left is not free\.\n {2}rigger has held rigA, which takes it along, for \d+s \(rigA test\); its lease ends in /,
    );
    expect(await sentence('rigB')).toMatch(
      /^rigB is not free: it needs left\.\n {2}rigger has held rigA, which takes left along, for /,
    );
  });

  test('has at most five lines for each resource, whoever holds it', async () => {
    await service.register({ name: 'pool', capacity: 9 });
    for (let i = 0; i < 9; i++) await take(`holder${i}`, 'pool');
    await wait('bob', 'pool');
    const { stdout } = await run(['why', 'pool', 'pool']);
    const shape = (line: string) => line.replace(/ for .*/, '');
    const lines = [
      'pool is not free.',
      '  holder0 has held pool_0',
      '  holder1 has held pool_1',
      '  7 more slots are held.',
    ];
    const all = [...lines, '  Next is bob (waiter), who has waited'];
    expect(stdout.trimEnd().split('\n').map(shape)).toEqual([...all, ...all]);
  });

  test('says of each resource with the labels of a match why it is not free: 0 if one is', async () => {
    const labels = (kind: string, site: string) => ({ kind, site });
    await service.register(
      { name: 'p1', labels: labels('ios', 'rome') },
      { name: 'p2', labels: labels('ios', 'oslo') },
      { name: 'p3', labels: labels('android', 'rome') },
    );
    await take('ann', 'p1');
    await run(['condition', 'p2', 'out', '--reason', 'display dark']);
    const none = await run(['why', '--match', 'kind=ios']);
    expect(none).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^p1 is not free\.\n {2}ann has .*\n.*\np2 is out/),
    });
    expect(await run(['why', '--match', 'kind=ios', '--match', 'kind=android', '--match', 'site!=oslo'])).toMatchObject(
      {
        code: 0,
        stdout: expect.stringMatching(/^p1 is not free\.\n.*\n.*\np3 is free\.\n$/),
      },
    );
    expect(await run(['why', '--match', 'kind=qnx'])).toMatchObject({ code: 65 });
    expect(await run(['why', 'p1', '--match', 'kind=ios'])).toMatchObject({ code: 64 });
    expect((await run(['why', 'kind=ios'])).stderr).toContain('For labels: holdfast why --match kind=ios');
  });

  test('says that slots are not ready, and what is kept for those who wait', async () => {
    await service.register({ name: 'spare', capacity: 2 }, { name: 'above', capacity: 1 });
    await service.register({ name: 'below', treePath: 'above' }, { name: 'tool', blocks: ['above'] });
    for (const resource of ['spare', 'above'])
      expect(await run(['condition', resource, 'out'])).toMatchObject({ code: 0 });
    expect(await sentence('spare')).toBe(
      'spare is not free: its slots are out of service or need cleaning.\n  Nobody waits.\n',
    );
    expect(await sentence('below')).toMatch(/^below is not free: above above it is out of service or needs cleaning\./);
    expect(await sentence('tool')).toMatch(
      /^tool is not free: it needs above, which is out of service or needs cleaning/,
    );
    await take('ann', 'busy');
    const item = { requestType: 'RESERVE', requester: 'bob', ttlSeconds: 9 };
    const both = ['kept', 'busy'].map((resource) => ({ ...item, resource }));
    const body = { method: 'ALL_OR_NONE', requests: both, waitSeconds: 60 };
    const waiting = service.request('POST', '/api/v1/Reservation/transaction?pollSeconds=20', body);
    await expect.poll(async () => (await service.check({ resource: 'kept' })).body[0]?.reason?.kind).toBe('QUEUE');
    expect(await sentence('kept')).toMatch(
      /^kept is not free: it is kept for those who wait\.\n {2}Next is bob, who has waited for \d+s\.\n$/,
    );
    await service.reset();
    await waiting;
  });

  test('says that a resource is free, and ends with 0', async () => {
    expect(await run(['why', 'printer', 'api'])).toEqual({
      code: 0,
      stdout: 'printer is free.\napi is free.\n',
      stderr: '',
    });
  });

  test('prints the same facts with --json', async () => {
    await take('rigger', 'rigA');
    const { code, stdout } = await run(['why', '--json', 'left']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { resource: 'left', reason: { kind: 'SLOTS', holders: [{ requester: 'rigger', resource: 'rigA' }] } },
    ]);
  });
});

describe('holdfast check', () => {
  test('names the holders of a pool, of an ancestor and of a blocker, with end and note', async () => {
    await take('ann', 'env', { count: 2 });
    await take('rigger', 'rigA');
    const { stdout } = await run(['check', 'env', 'api', 'left']);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    const ends = expect.stringMatching(/^(5m|4m5\ds)$/);
    expect(rows.slice(1)).toEqual([
      ['env', 'held', 'ann', ends, '0', 'env test'],
      ['api', 'not available', 'ann (env)', ends, '0', 'env test'],
      ['left', 'held', 'rigger', ends, '0', 'rigA test'],
    ]);
  });
});

describe('a run that is refused (75)', () => {
  test('says who is in the way: of a pool, above and of a blocker', async () => {
    await take('ann', 'env', { count: 2 });
    await take('rigger', 'rigA');
    for (const [name, text] of [
      [
        'env',
        /^holdfast: env is not free: ann has held env_0 and env_1 for \d+s \(env test\); its lease ends in .*\n$/,
      ],
      ['api', /^holdfast: api is not free: env above it is full\. ann has held env_0 and env_1 for /],
      ['left', /^holdfast: left is not free: rigger has held rigA, which takes it along, for /],
    ] as const) {
      const { code, stderr } = await run(['run', name, '--', 'true']);
      expect(code).toBe(75);
      expect(stderr).toMatch(text);
    }
  });

  test('says it after a wait for any resource that fits', async () => {
    await service.register({ name: 'pixel', labels: { os: 'android' } });
    await take('ann', 'pixel');
    const { code, stderr } = await run(['run', '--wait', '1s', '--match', 'os=android', '--', 'true']);
    expect(code).toBe(75);
    expect(stderr).toMatch(
      /^holdfast: os=android: the wait of 1s is over; ann has held pixel for \d+s \(pixel test\);/m,
    );
  });

  test('says it after a wait, too', async () => {
    await take('rigger', 'rigA');
    const { code, stderr } = await run(['run', '--wait', '1s', 'rigB', '--', 'true']);
    expect(code).toBe(75);
    expect(stderr).toMatch(/^holdfast: rigB: the wait of 1s is over; rigB is not free: it needs left\. rigger has /m);
  });
});
