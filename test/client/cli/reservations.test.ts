/**
 * `holdfast reserve`, `release` and `renew`: the lease that a renewal makes, and what they refuse without showing it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, holdfast, type Options } from '../../support/commandLine.ts';
import { setTerms } from '../../support/hotRecord.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

let service: Instance;
/** The key of a tenant that has settings. */
const limited = makeConfiguredKey(makeTenant());
beforeAll(async () => {
  service = await startInstance({ keys: [makeConfiguredKey(makeTenant()), limited] });
});
afterAll(() => service.stop());

const run = (args: readonly string[], options: Options = {}): Promise<Ended> =>
  holdfast(args, { env: { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key }, ...options });

/** What `reserve --json` prints. */
const reserved = async (...args: readonly string[]): Promise<string> =>
  (await run(['reserve', ...args, '--json'])).stdout;

/** What is left of a lease, in s. */
async function leftOf(resource: string): Promise<number> {
  const { body } = await service.active(`?resource=${resource}`);
  return (Date.parse(body[0]?.expiresAt ?? '') - Date.now()) / 1000;
}

describe.concurrent('renew', () => {
  test('without --ttl keeps the lease that reserve made', async () => {
    const hold = await reserved('a', '--ttl', '10m');
    expect(JSON.parse(hold)).toMatchObject({ ttlSeconds: 600 });
    expect(await run(['renew', '-'], { stdin: hold })).toMatchObject({ code: 0, stderr: '' });
    expect(await leftOf('a')).toBeGreaterThan(500);
  });

  test('without --ttl leaves a lease that never ends as it is, and says when it was released', async () => {
    const hold = await reserved('b', '--ttl', 'never');
    const { code, stdout } = await run(['renew', '-', '--json'], { stdin: hold });
    expect({ code, rows: JSON.parse(stdout) }).toMatchObject({ code: 0, rows: [{ resource: 'b', expiresAt: null }] });
    await run(['release', '-'], { stdin: hold });
    expect(await run(['renew', '-'], { stdin: hold })).toMatchObject({
      code: 76,
      stderr: 'holdfast: b: NOT_RESERVED\n',
    });
  });

  test('of a name needs --ttl: 64', async () => {
    const stderr = 'holdfast: how long? Only what `reserve --json` printed can be renewed without --ttl\n';
    const args = ['renew', 'c', '--requester', 'ann', '--token', '05b2bb2c-34c7-4729-9651-f53e4666132e'];
    expect(await run(args)).toEqual({ code: 64, stdout: '', stderr });
  });
});

test.concurrent('reserve with a lease that the tenant does not allow says why, in one line: 65', async () => {
  const env = { HOLDFAST_URL: service.url, HOLDFAST_KEY: limited.key };
  expect((await run(['ls'], { env })).code).toBe(0);
  await setTerms(service.redis, limited.tenant, ' 3600000 0');
  const stderr = "holdfast: e: NOT_VALID: this tenant's reservations need a lease of at most 3600 s\n";
  expect(await run(['reserve', 'e', '--ttl', '2h'], { env })).toEqual({ code: 65, stdout: '', stderr });
});

describe.concurrent('what is no reservation is refused, and never shown', () => {
  const TOKEN = '05b2bb2c-34c7-4729-9651-f53e4666132e';
  test.each([
    ['renew', `{"resource": "d", "releaseToken": "${TOKEN}"`],
    ['release', `{"resource": "d", "releaseToken": "${TOKEN}"`],
    ['release', TOKEN],
    ['renew', `{"resource": "d", "releaseToken": "${TOKEN}"}`],
    ['ls', `{"resource": "d", "releaseToken": "${TOKEN}"}`],
    [TOKEN, ''],
    ['renew', '[]'],
    ['release', '[]'],
  ])('%s %s', async (command, argument) => {
    const { code, stdout, stderr } = await run([command, argument]);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(/^holdfast: [^\n]+\n$/);
    expect(stderr).not.toContain(TOKEN);
  });
});
