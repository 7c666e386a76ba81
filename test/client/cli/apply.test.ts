/** `holdfast apply` and `export` (docs/command-line.md#apply). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readArguments } from '../../../packages/client/src/cli/arguments.ts';
import { apply as applyCommand, optionsOf } from '../../../packages/client/src/cli/commands/apply.ts';
import { readLab } from '../../../packages/client/src/cli/lab/file.ts';
import { labSchema } from '../../../scripts/labSchema.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../../../src/http/openapi/openapi.ts';
import { type Ended, env, folder, run, service, start, useService } from '../../support/commandLine.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

useService();

let files = 0;
const fileOf = (text: string): string => {
  const file = join(folder, `lab-${files++}.yaml`);
  writeFileSync(file, text);
  return file;
};
const apply = (text: string, ...options: readonly string[]): Promise<Ended> =>
  run(['apply', '-f', fileOf(text), ...options]);
const definition = async (name: string) => (await service.definitions()).body.find((one) => one.name === name);
const names = async () => (await service.definitions()).body.map(({ name }) => name);

describe('apply', () => {
  const LAB = `
- {name: lab/room, capacity: 3, treePath: lab>floor, blocks: [ink, paper]}
- {name: lab, group: true}
- {name: floor, treePath: lab, capacity: 2, labels: {os: android}}
`;

  test('prints what is new, and registers ancestors first; a second run changes nothing', async () => {
    const first = await apply(LAB);
    expect(first).toMatchObject({ code: 0, stderr: 'holdfast: 3 registered, 0 deleted, 0 unchanged\n' });
    expect(first.stdout.split('\n')).toEqual([
      '+ lab  group yes',
      '+ floor  capacity 2, below lab, labels os=android',
      '+ lab/room  capacity 3, blocks ink, paper, below lab>floor',
      '',
    ]);
    expect(await definition('lab/room')).toMatchObject({
      capacity: 3,
      blocks: ['ink', 'paper'],
      treePath: 'lab>floor',
    });
    const second = await apply(LAB);
    expect(second).toEqual({ code: 0, stdout: '', stderr: 'holdfast: 0 registered, 0 deleted, 3 unchanged\n' });
  });

  test('gives fields that the file leaves out their defaults, also labels and group', async () => {
    await service.register({ name: 'd1', capacity: 4, labels: { os: 'ios' } }, { name: 'd2', group: true });
    const { stdout } = await apply('[{name: d1, capacity: 6}, {name: d2}]');
    expect(stdout).toBe('~ d1  capacity 4 → 6, labels os=ios → none\n~ d2  capacity none → 1, group yes → no\n');
    expect(await definition('d1')).toEqual({ name: 'd1', capacity: 6, blocks: [], treePath: null });
    expect(await definition('d2')).toEqual({ name: 'd2', capacity: 1, blocks: [], treePath: null });
  });

  test('makes resources bookable, which export shows, and no more if the file leaves it out', async () => {
    expect((await apply('[{name: b1, bookable: true}]')).stdout).toBe('+ b1  bookable yes\n');
    expect((await apply('[{name: b1, bookable: true}]')).stdout).toBe('');
    expect(parse((await run(['export'])).stdout)).toContainEqual({ name: 'b1', bookable: true });
    expect((await apply('[{name: b1}]')).stdout).toBe('~ b1  bookable yes → no\n');
    expect(await definition('b1')).not.toHaveProperty('bookable');
    expect((await apply('[{name: b1, bookable: perhaps}]')).stderr).toContain('b1: bookable has to be true or false');
  });

  test('--dry-run changes nothing, and ends with 1 if there are changes', async () => {
    const dry = await apply('[{name: dry}]', '--dry-run');
    expect(dry).toEqual({
      code: 1,
      stdout: '+ dry\n',
      stderr: 'holdfast: 1 to add, 0 to change, 0 to delete, 0 unchanged\n',
    });
    expect(await names()).not.toContain('dry');
    await service.register({ name: 'dry' });
    expect(await apply('[{name: dry}]', '--dry-run')).toMatchObject({ code: 0, stdout: '' });
  });

  test('leaves attributes as they are if the file has none, and never prints them', async () => {
    const first = await apply(
      '[{name: at, capacity: 2, attributes: {hub: marker-1}, slotAttributes: [{serial: marker-2}]}]',
    );
    expect(first).toMatchObject({ code: 0, stdout: '+ at  capacity 2, attributes\n' });
    const second = await apply('[{name: at, capacity: 3, afterUse: dirty}]');
    expect(second).toMatchObject({ code: 0, stdout: '~ at  capacity 2 → 3, afterUse ready → dirty\n' });
    const stored = { attributes: { hub: 'marker-1' }, slotAttributes: [{ serial: 'marker-2' }], afterUse: 'dirty' };
    expect(await definition('at')).toMatchObject(stored);
    const text =
      '[{name: at, capacity: 3, afterUse: dirty, attributes: {hub: marker-3}, slotAttributes: [{}, {}, {}]}]';
    expect(await apply(text)).toMatchObject({ code: 0, stdout: '~ at  attributes\n' });
    expect(await apply(text)).toMatchObject({ code: 0, stdout: '' });
    expect((await run(['export'])).stdout).not.toContain('marker');
    expect((await run(['export', '--attributes'])).stdout).toContain('attributes: {hub: marker-3}');
  });

  test('leaves the condition of slots: a broken phone stays out of service', async () => {
    await apply('[{name: broken, labels: {os: ios}}]');
    await run(['condition', 'broken', 'out', '--reason', 'display dark']);
    expect(await apply('[{name: broken, labels: {os: android}}]')).toMatchObject({ code: 0 });
    expect((await service.check({ resource: 'broken' })).body).toMatchObject([{ condition: 'out', reservable: false }]);
  });

  test('needs a key that may register: 77 with one that only reserves, or beyond its prefix', async () => {
    const tenant = makeTenant();
    const limited = (limits: object) => ({ ...makeConfiguredKey(tenant), ...limits });
    const [reserves, prefixed] = [limited({ permission: 'reserve' }), limited({ prefix: 'own/' })];
    const other = await startInstance({ keys: [reserves, prefixed] });
    const applyBy = (key: string, name: string) =>
      run(['apply', '-f', fileOf(`[{name: ${name}}]`)], { env: { HOLDFAST_URL: other.url, HOLDFAST_KEY: key } });
    expect(await applyBy(reserves.key, 'own/a')).toMatchObject({ code: 77 });
    expect(await applyBy(prefixed.key, 'others')).toMatchObject({ code: 77 });
    expect(await applyBy(prefixed.key, 'own/a')).toMatchObject({ code: 0 });
    await other.stop();
  });

  test.each([
    ['[]', /has no resources$/],
    ['[{name: a}, {name: a}]', /has a twice$/],
    ['[{capacity: 3}]', /a resource has no name, or one that is no text$/],
    ['[{name: a, capcity: 3}]', /a: capcity is not a known field; did you mean capacity\?$/],
    ['[{name: a, labels: {version: 3.19}}]', /a: labels\.version has to be a text: write '3\.19'$/],
    ['[{name: a, blocks: [b, 4]}]', /a: blocks\[1\] has to be a text: write '4'$/],
    ['[{name: a, afterUse: out}]', /a: afterUse has to be ready or dirty$/],
  ])('checks the whole file before it changes anything: %s', (text, message) => {
    expect(() => readLab(fileOf(text))).toThrow(message);
  });

  test('stops at the first refusal, names the resource, and says what was done: 65', async () => {
    const many = Array.from({ length: 100 }, (_, i) => `- {name: many-${i}}\n`).join('');
    const { code, stderr } = await apply(`${many}- {name: self, treePath: other, blocks: [self]}\n`);
    expect(code).toBe(65);
    expect(stderr).toBe(
      'holdfast: self: blocks must not name the resource itself; 100 of 101 changes were made: run it again to go on\n',
    );
  });

  test.each([
    [[], 'apply needs a file: holdfast apply -f <file>'],
    [['-f', 'x', '--prune'], '--prune needs a --prefix that is not empty, such as --prefix lab/'],
    [['-f', 'x', '--prune', '--prefix', ''], '--prune needs a --prefix that is not empty, such as --prefix lab/'],
    [['-f', 'x', '--prefix', 'lab/'], '--prefix and --max-delete are for --prune'],
  ])('%j is wrong use', async (argv, message) => {
    expect(() => optionsOf(readArguments(applyCommand, argv))).toThrow(message);
  });

  test('without a terminal, --prune needs --yes', async () => {
    const argv = ['apply', '-f', 'x', '--prune', '--prefix', 'lab/'];
    const stderr = 'holdfast: apply --prune needs --yes without a terminal\n';
    expect(await run(argv)).toEqual({ code: 64, stdout: '', stderr });
  });
});

describe('apply --prune', () => {
  const prune = (text: string, prefix: string, ...options: readonly string[]) =>
    apply(text, '--prune', '--prefix', prefix, '--yes', ...options);

  test('deletes names with the prefix that the file does not have, leaves first', async () => {
    await service.register(
      { name: 'p1/old', treePath: 'p1/up' },
      { name: 'p1/in', treePath: 'p1/top' },
      { name: 'p2' },
    );
    const { code, stdout, stderr } = await prune('[{name: p1/in, treePath: p1/top}]', 'p1/');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '- p1/old\n- p1/up\n' });
    expect(stderr).toBe('holdfast: 0 registered, 2 deleted, 1 unchanged\n');
    expect((await names()).filter((name) => /^p\d/.test(name))).toEqual(['p1/in', 'p1/top', 'p2']);
  });

  test('keeps and names what something outside the prefix needs: 75', async () => {
    await service.register({ name: 'p3/ink' }, { name: 'p3/free' }, { name: 'printer', blocks: ['p3/ink'] });
    await service.register({ name: 'p3/mid', treePath: 'p3/root' }, { name: 'leaf', treePath: 'p3/root>p3/mid' });
    const { code, stdout } = await prune('[{name: x}]', 'p3/');
    expect(code).toBe(75);
    expect(stdout.split('\n')).toEqual([
      '+ x',
      '- p3/free',
      '= p3/ink  stays: printer blocks it',
      '= p3/mid  stays: leaf is below it',
      '= p3/root  stays: leaf is below it',
      '',
    ]);
    expect((await names()).filter((name) => name.startsWith('p3/'))).toEqual(['p3/ink', 'p3/mid', 'p3/root']);
  });

  test('names who holds a resource and who waits; a resource that is held stays: 75', async () => {
    await service.register({ name: 'p4/held' });
    await service.reserve({ resource: 'p4/held', requester: 'ann', ttlSeconds: 60 });
    const waits = [{ resource: 'p4/held', requester: 'bob', ttlSeconds: 60, waitSeconds: 60 }];
    await service.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', waits);
    const { code, stdout, stderr } = await prune('[{name: x}]', 'p4/');
    expect({ code, stdout }).toEqual({ code: 75, stdout: '- p4/held  ann holds it, bob waits\n' });
    expect(stderr).toMatch(/^holdfast: p4\/held stays: .*held/);
    expect(await names()).toContain('p4/held');
  });

  test('asks on a terminal, after it has shown the plan: nothing is done unless the answer is yes', async () => {
    await service.register({ name: 'p6/old' });
    const command = `holdfast apply -f ${fileOf('[{name: p6/new}]')} --prune --prefix p6/`;
    const asked = await start(['script', '-qefc', command, '/dev/null'], { env, stdin: null });
    await asked.prints('- p6/old');
    await asked.prints('Delete this resource, and make the other changes? Type yes: ');
    asked.write('no\n');
    expect(await asked.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('nothing was done') });
    expect((await names()).filter((name) => name.startsWith('p6/'))).toEqual(['p6/old']);
  });

  test('refuses to delete more than --max-delete, before anything is done: 65', async () => {
    await service.register(...Array.from({ length: 11 }, (_, i) => ({ name: `p5/${i}` })));
    const refused = await prune('[{name: p5-new}]', 'p5/');
    expect(refused).toEqual({
      code: 65,
      stdout: '',
      stderr: 'holdfast: it would delete 11 resources, more than --max-delete 10: nothing was done\n',
    });
    expect(await names()).not.toContain('p5-new');
    expect(await prune('[{name: p5-new}]', 'p5/', '--max-delete', '11')).toMatchObject({ code: 0 });
    expect((await names()).filter((name) => name.startsWith('p5/'))).toEqual([]);
  });
});

describe('export', () => {
  test('prints a file that apply finds unchanged', async () => {
    await service.register(
      { name: 'e/root', group: true },
      { name: 'e/leaf', treePath: 'e/root', capacity: 2, blocks: ['e/b'], labels: { os: 'android', on: 'yes' } },
    );
    const { code, stdout } = await run(['export']);
    expect(code).toBe(0);
    expect(stdout).toContain(`- name: e/leaf
  capacity: 2
  blocks: [e/b]
  treePath: e/root
  labels: {"on": "yes", os: android}
`);
    expect(stdout).toContain('- name: e/root\n  group: true\n');
    expect(await apply(stdout, '--dry-run')).toMatchObject({ code: 0, stdout: '' });
    const asJson = (await run(['export', '--json'])).stdout;
    expect(JSON.parse(asJson)).toEqual(parse(stdout));
  });
});

describe('docs/lab.schema.json', () => {
  const validate = new Ajv({ strict: false, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync('docs/lab.schema.json', 'utf8').replace(/"\$schema".*/, '')),
  );

  test('is current', () => {
    const written = labSchema(openapiDocument(DEFAULT_INSTANCE));
    expect(readFileSync('docs/lab.schema.json', 'utf8'), 'run npm run generate').toBe(written);
  });

  test('takes what export prints, and refuses misspelt fields', async () => {
    await service.register({ name: 's', capacity: 2, blocks: ['t'], treePath: 'u', labels: { os: 'android' } });
    const { stdout } = await run(['export']);
    expect(validate(parse(stdout)), JSON.stringify(validate.errors)).toBe(true);
    expect(validate([{ name: 'a', capcity: 3 }])).toBe(false);
    expect(validate([])).toBe(false);
  });
});
