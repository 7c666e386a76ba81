/** `holdfast register`, `definitions` and `tree`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bash, folder, json, run, service, useService } from '../../support/commandLine.ts';

useService();

describe('definitions', () => {
  const FILE = join(folder, 'resources.yaml');
  const YAML = `
- name: Room
  capacity: 3
  treePath: House>Floor1
  blocks: [Projector]
- {name: phones, capacity: 10, labels: {os: android}}
- {name: House, group: true}
`;

  test('are registered from YAML, listed and drawn', async () => {
    writeFileSync(FILE, YAML);
    expect(await run(['register', '-f', FILE])).toMatchObject({ code: 0, stderr: '' });
    await service.reserve({ resource: 'Room', requester: 'ann' });
    const { stdout } = await run(['definitions']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['NAME', 'CAPACITY', 'BELOW', 'BLOCKS', 'LABELS'],
      ['Floor1', '1', 'House'],
      ['House', 'group'],
      ['Room', '3', 'House>Floor1', 'Projector'],
      ['phones', '10', 'os=android'],
      [''],
    ]);
    const tree = [
      'House',
      '└── Floor1  0 of 1 free',
      '    └── Room  2 of 3 free',
      'phones  10 of 10 free  os=android',
      '',
    ];
    expect((await run(['tree'])).stdout.split('\n')).toEqual(tree);
    expect(await json('definitions', '--label', 'os=android')).toMatchObject([{ name: 'phones' }]);
    expect(await json('tree')).toMatchObject([{ name: 'House' }, { name: 'phones' }]);
  });

  test('are registered again from what definitions --json printed', async () => {
    const { code, stdout } = await bash('holdfast definitions --json | holdfast register -f - --json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'Room' })]));
  });

  test.each([
    ['{name: [', 65, /^holdfast: stdin is neither YAML nor JSON: .*[^:]\n$/],
    ['just text', 65, /^holdfast: stdin has to be a list of resources, such as: - name: printer\n$/],
    ['[{name: x, capcity: 3}]', 65, /^holdfast: .*capcity is not a known field; did you mean capacity\?\n$/],
  ])('%s is refused', async (stdin, code, message) => {
    const { stderr, ...ended } = await run(['register', '-f', '-'], { stdin });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('a file that is not there: 66', async () => {
    expect(await run(['register', '-f', '/no/such/file'])).toMatchObject({ code: 66 });
  });
});

describe('unregister', () => {
  test('deletes resources, keeps those that are held or have others below, and says why', async () => {
    await service.register({ name: 'u1' }, { name: 'u2' }, { name: 'leaf', treePath: 'above' });
    await service.reserve({ resource: 'u2', requester: 'ann' });
    const { code, stdout } = await run(['unregister', 'u1', 'u2', 'above', 'nothing']);
    expect(code).toBe(1);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows).toEqual([
      ['NAME', 'STATUS'],
      ['u1', 'deleted'],
      ['u2', expect.stringMatching(/held|reserv/)],
      ['above', expect.stringMatching(/below/)],
      ['nothing', expect.stringMatching(/registered/)],
    ]);
    const names = (await service.definitions()).body.map(({ name }) => name);
    expect(names).not.toContain('u1');
    expect(names).toContain('u2');
  });

  test('deletes a whole subtree with --cascade, and ends with 0', async () => {
    await service.register({ name: 'leaf', treePath: 'above' });
    const { code, stdout } = await run(['unregister', '--cascade', '--json', 'above', 'leaf']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(['above', 'leaf'].map((name) => ({ name, deleted: true, why: null })));
  });
});
