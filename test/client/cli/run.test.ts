/** `holdfast run`: runs a command under a reservation. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, holdfast, type Options } from '../../support/commandLine.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
beforeAll(async () => {
  service = await startInstance();
  await service.register(
    { name: 'phones', capacity: 3 },
    { name: 'small tablet', labels: { os: 'ios', size: 's' } },
    { name: 'large tablet', labels: { os: 'ios', size: 'l' } },
    {
      ...{ name: 'boards', capacity: 2, attributes: { hub: '10.0.0.7', Port: '1' } },
      slotAttributes: [{ serial: 'A1' }, { serial: 'B 2', port: '2' }],
    },
    { name: 'licence', attributes: { server: 'lm:27000', hub: 'none' } },
  );
});
afterAll(() => service.stop());

const run = (args: readonly string[], options: Options = {}): Promise<Ended> => {
  const env = { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key, ...options.env };
  return holdfast(['run', ...args], { ...options, env });
};

const held = async () => (await service.active()).body.map(({ resource }) => resource);

/** Runs a command that prints its environment. Returns the variables. */
async function variables(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr } = await run([...args, '--', process.execPath, '-p', 'JSON.stringify(process.env)'], { env });
  expect(stderr).toBe('');
  const all: Record<string, string> = JSON.parse(stdout);
  return Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith('HOLDFAST_')));
}

describe('the command', () => {
  test('has stdin, stdout and stderr of holdfast, which prints nothing itself', async () => {
    const { code, stdout, stderr } = await run(['a', '--', 'sh', '-c', 'cat; echo err >&2'], { stdin: 'some text' });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'some text', stderr: 'err\n' });
  });

  test('holds the resource while it runs, and the resource is released after it', async () => {
    const { stdout } = await run([
      'b',
      '--keep-key',
      '--note',
      'why',
      '--',
      'holdfast',
      'ls',
      '--resource',
      'b',
      '--json',
    ]);
    expect(JSON.parse(stdout)).toMatchObject([{ resource: 'b', note: 'why' }]);
    expect(await held()).not.toContain('b');
  });

  test('gets its arguments as they are', async () => {
    const { stdout } = await run(['c', '--', 'printf', '[%s]', '--wait', 'a b', '', '--', '$x']);
    expect(stdout).toBe('[--wait][a b][][--][$x]');
  });
});

describe('{slot} in an argument', () => {
  test('stands for the slot', async () => {
    const { stdout } = await run(['phones', '--', 'printf', '[%s]', '{slot}', '--serial={slot}', '{}']);
    expect(stdout).toBe('[phones_0][--serial=phones_0][{}]');
  });

  test('of several slots is there once for each', async () => {
    const { stdout } = await run(['phones', '--count', '2', '--', 'printf', '[%s]', 'a', '-s={slot}', 'b']);
    expect(stdout).toBe('[a][-s=phones_0][-s=phones_1][b]');
  });
});

describe('HOLDFAST_WAIT and HOLDFAST_NOTE', () => {
  const inside = ['--', 'holdfast', 'ls', '--resource', 'noted', '--json'];

  test('stand for --wait and --note, which override them', async () => {
    const env = { HOLDFAST_NOTE: 'from the environment' };
    const keeping = ['noted', '--keep-key'];
    const notes = [
      await run([...keeping, ...inside], { env }),
      await run([...keeping, '--note', 'own', ...inside], { env }),
    ];
    expect(notes.map(({ stdout }) => JSON.parse(stdout)[0].note)).toEqual(['from the environment', 'own']);
    await service.reserve({ resource: 'busy', requester: 'ann', ttlSeconds: 60 });
    const { code, stderr } = await run(['busy', '--', 'true'], { env: { HOLDFAST_WAIT: '1s' } });
    expect([code, stderr]).toEqual([75, expect.stringContaining('busy: the wait of 1s is over')]);
    await service.reset();
  });

  test('are named if they are not valid', async () => {
    const { code, stderr } = await run(['a', '--', 'true'], { env: { HOLDFAST_WAIT: 'soon' } });
    expect([code, stderr]).toEqual([64, 'holdfast: HOLDFAST_WAIT is a duration such as 30s, 10m or 1h, not "soon"\n']);
  });
});

describe('the variables', () => {
  test('name the resource, its slot, the fencing token and the requester', async () => {
    const seen = await variables(['phones']);
    expect(seen).toMatchObject({ HOLDFAST_RESOURCE: 'phones', HOLDFAST_SLOTS: 'phones_0' });
    expect(Number(seen.HOLDFAST_FENCING_TOKEN)).toBeGreaterThan(1e15);
    expect(seen.HOLDFAST_REQUESTER).toMatch(/\w+-\d+-\w{8}/);
  });

  test('have a line for each of several slots', async () => {
    expect(await variables(['phones', '--count', '2'])).toMatchObject({ HOLDFAST_SLOTS: 'phones_0\nphones_1' });
  });

  test('have a line for each of several resources, which are taken together', async () => {
    const seen = await variables(['d', 'large tablet']);
    expect(seen).toMatchObject({ HOLDFAST_RESOURCE: 'd\nlarge tablet', HOLDFAST_SLOTS: 'd\nlarge tablet' });
    expect(seen.HOLDFAST_FENCING_TOKEN).toMatch(/^\d+$/);
  });

  test('name the resource that a match has picked', async () => {
    const seen = await variables(['--match', 'os=ios', '--match', 'size=l', '--match', 'size=xl']);
    expect(seen.HOLDFAST_RESOURCE).toBe('large tablet');
  });

  test('have the attributes of a slot, over those of its resource', async () => {
    expect(await variables(['boards_1'])).toMatchObject({
      ...{ HOLDFAST_ATTR_HUB: '10.0.0.7', HOLDFAST_ATTR_SERIAL: 'B 2', HOLDFAST_ATTR_PORT: '2' },
    });
    expect(Object.keys(await variables(['m'])).filter((name) => name.includes('ATTR'))).toEqual([]);
  });

  test('have in each attribute the value of slot n in line n, which is empty if it has none', async () => {
    expect(await variables(['boards', '--count', '2'])).toMatchObject({
      ...{ HOLDFAST_ATTR_HUB: '10.0.0.7\n10.0.0.7', HOLDFAST_ATTR_SERIAL: 'A1\nB 2', HOLDFAST_ATTR_PORT: '1\n2' },
    });
    expect(await variables(['licence', 'boards_1'])).toMatchObject({
      ...{ HOLDFAST_SLOTS: 'licence\nboards_1', HOLDFAST_ATTR_SERVER: 'lm:27000', HOLDFAST_ATTR_SERIAL: '\nB 2' },
    });
  });

  test('have no attributes of a command around it', async () => {
    const env = { HOLDFAST_ATTR_SERIAL: 'outer' };
    expect(await variables(['m'], env)).not.toHaveProperty('HOLDFAST_ATTR_SERIAL');
  });

  test('name all that a match has picked, behind the names', async () => {
    const labels = (site: string) => ({ kind: 'car', site });
    await service.register({ name: 'car1', labels: labels('rome') }, { name: 'car2', labels: labels('berlin') });
    await service.register({ name: 'car3', labels: labels('paris') });
    const seen = await variables(['key', '--match', 'kind=car,site!=berlin', '--quantity', '2']);
    expect(seen.HOLDFAST_RESOURCE).toBe('key\ncar1\ncar3');
  });

  test('have no API key, unless --keep-key asks for it', async () => {
    expect(await variables(['m'])).not.toHaveProperty('HOLDFAST_KEY');
    expect(await variables(['m', '--keep-key'])).toMatchObject({ HOLDFAST_KEY: service.key });
  });

  test('let holdfast inside the command say that --keep-key is missing', async () => {
    expect(await run(['m', '--', 'holdfast', 'ls'])).toMatchObject({
      code: 78,
      stderr: 'holdfast: HOLDFAST_KEY is not set: `holdfast run` passes it on with --keep-key only\n',
    });
  });
});

describe('who reserves', () => {
  test('is HOLDFAST_REQUESTER, or --requester before it', async () => {
    const env = { HOLDFAST_REQUESTER: 'ann' };
    expect(await variables(['e'], env)).toMatchObject({ HOLDFAST_REQUESTER: 'ann' });
    expect(await variables(['e', '--requester', 'bob'], env)).toMatchObject({ HOLDFAST_REQUESTER: 'bob' });
  });

  test('is another one inside a command, so that what runs there at the same time excludes each other', async () => {
    const { code, stderr } = await run(['f', '--keep-key', '--', 'holdfast', 'run', 'f', '--', 'true']);
    expect(code).toBe(75);
    expect(stderr).toContain('f is held by');
  });

  test('is the same inside a command if it says so', async () => {
    const nested = 'holdfast run --keep-key --requester "$HOLDFAST_REQUESTER" phones -- holdfast ls --json';
    const { stdout } = await run(['g', '--keep-key', '--', 'sh', '-c', nested]);
    expect(new Set(JSON.parse(stdout).map((row: { requester: string }) => row.requester)).size).toBe(1);
  });
});

describe('the exit code', () => {
  test.each([
    [['sh', '-c', 'exit 3'], 3],
    [['sh', '-c', 'kill -KILL $$'], 137],
    [['sh', '-c', 'kill -TERM $$'], 143],
  ])('of %j is %i', async (command, code) => {
    expect(await run(['h', '--', ...command])).toMatchObject({ code, stderr: '' });
    expect(await held()).not.toContain('h');
  });

  test('is 127 if the command does not exist, and 126 if it cannot be executed', async () => {
    const missing = { code: 127, stderr: 'holdfast: no-such-command: command not found\n' };
    expect(await run(['i', '--', 'no-such-command'])).toMatchObject(missing);
    const notExecutable = { code: 126, stderr: 'holdfast: /etc/passwd: cannot be executed (EACCES)\n' };
    expect(await run(['i', '--', '/etc/passwd'])).toMatchObject(notExecutable);
    expect(await held()).not.toContain('i');
  });

  test('is 75 if the resource is held, and the message says by whom and why', async () => {
    await service.reserve({ resource: 'j', requester: 'ann', ttlSeconds: 60, note: 'nightly build' });
    const { code, stderr, stdout } = await run(['j', '--', 'echo', 'ran']);
    expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
    expect(stderr).toMatch(
      /^holdfast: j is held by ann \(nightly build\) for another 1m0?s?\n$|^holdfast: j .*ann.*nightly build/,
    );
    expect(await run(['j', '--quiet', '--', 'true'])).toMatchObject({ code: 75, stderr: '' });
  });

  test('is 75 if one of several resources is held, and none of them is then held', async () => {
    await service.reserve({ resource: 'k', requester: 'ann', ttlSeconds: 60 });
    expect(await run(['l', 'k', '--', 'true'])).toMatchObject({ code: 75 });
    expect(await held()).not.toContain('l');
  });

  test('is 65 if the name is no resource', async () => {
    expect(await run(['phones_7', '--', 'true'])).toMatchObject({ code: 65 });
  });

  test('is 76 if somebody else has released the resource meanwhile', async () => {
    const { code, stderr } = await run(['m', '--keep-key', '--', 'holdfast', 'reset', '--yes']);
    expect(stderr).toContain('holdfast: m was released by somebody else meanwhile\n');
    expect(code).toBe(76);
  });
});

test('readers share a resource', async () => {
  const nested = ['holdfast', 'run', '--shared', 'n', '--', 'echo', 'both'];
  expect(await run(['--shared', '--keep-key', 'n', '--', ...nested])).toMatchObject({ code: 0, stdout: 'both\n' });
});
