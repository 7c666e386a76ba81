/** `holdfast import`: files of Jenkins and Boskos as files for `apply` (docs/command-line.md#import). */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fromBoskos, type Translation } from '../../../packages/client/src/cli/import/boskos.ts';
import { fromJenkins } from '../../../packages/client/src/cli/import/jenkins.ts';
import { labText } from '../../../packages/client/src/cli/lab/write.ts';
import { bash, folder, holdfast, run, useService } from '../../support/commandLine.ts';

useService();

const FILES = `${import.meta.dirname}/../../../docs/examples/moving`;

/** The text that `import` prints, and the resources in it. */
function printed({ entries, head, tail }: Translation): { text: string; items: unknown } {
  const text = labText(entries, head, tail);
  return { text, items: parse(text) };
}

const jenkins = (resources: readonly object[], key = 'declaredResources') =>
  printed(fromJenkins({ unclassified: { lockableResourcesManager: { [key]: resources } } }, 'casc.yaml'));

const boskos = (text: string) => printed(fromBoskos(parse(text), 'resources.yaml'));

describe('import jenkins', () => {
  test('makes labels of words: with a value if there is one, and the same for each resource', () => {
    const { items, text } = jenkins([
      { name: 'a', labels: 'plc os:RT3 version:3.18 version:3.19' },
      { name: 'b', labels: '  os:RT3   version:3.19 ' },
    ]);
    expect(items).toEqual([
      { name: 'a', labels: { plc: 'yes', os: 'RT3', 'version/3.18': 'yes', 'version/3.19': 'yes' } },
      { name: 'b', labels: { os: 'RT3', 'version/3.19': 'yes' } },
    ]);
    expect(text).toContain("#   lock(label: 'version:3.19')  →  --match version/3.19=yes\n");
  });

  test('tells a word from a key of the same name, and words apart that are no keys', () => {
    const { items, text } = jenkins([
      { name: 'a', labels: 'android android:13 C++' },
      { name: 'b', labels: 'android android:14 C--' },
    ]);
    expect(items).toEqual([
      { name: 'a', labels: { 'android/any': 'yes', android: '13', 'C---2': 'yes' } },
      { name: 'b', labels: { 'android/any': 'yes', android: '14', 'C--': 'yes' } },
    ]);
    expect(text).toContain("#   lock(label: 'C++')  →  --match C---2=yes\n");
  });

  test('makes attributes of properties, and leaves out those that look like passwords', () => {
    const { items, text } = jenkins([
      {
        name: 'a',
        properties: [
          { name: 'HOST-NAME', value: '10.0.0.7' },
          { name: 'PORT', value: 8080 },
          { name: 'ROOT_PASSWORD', value: 'swordfish' },
        ],
      },
    ]);
    expect(items).toEqual([{ name: 'a', attributes: { HOST_NAME: '10.0.0.7', PORT: '8080' } }]);
    expect(text).toContain('# Property HOST-NAME is called HOST_NAME here.\n');
    expect(text).toContain('# Property ROOT_PASSWORD is left out: attributes are stored in clear.\n');
    expect(text).not.toContain('swordfish');
  });

  test('has comments for descriptions, notes and reservations', () => {
    const { text } = jenkins([{ name: 'a', description: 'rack 4\nrow 2', note: 'loud', reservedBy: "Ann's window" }]);
    expect(text).toContain('# rack 4 row 2\n# Note: loud\n- name: a\n');
    expect(text).toContain("#   holdfast condition a out --reason 'Ann'\\''s window: loud'");
  });

  test('leaves out ephemeral resources, repeated names and names that are not valid, and says so', () => {
    const { items, text } = jenkins(
      [{ name: 'a' }, { name: 'a' }, { name: 'tmp', ephemeral: true }, { name: 'x>y' }, {}],
      'resources',
    );
    expect(items).toEqual([{ name: 'a' }]);
    for (const note of ['a is there twice', 'tmp is ephemeral', 'x>y is left out', 'A resource without a name'])
      expect(text).toContain(`# ${note}`);
  });

  test('refuses a file without such resources: 65', async () => {
    expect(await holdfast(['import', 'jenkins', '-'], { stdin: 'jenkins: {numExecutors: 2}' })).toEqual({
      code: 65,
      stdout: '',
      stderr:
        'holdfast: stdin has no resources in unclassified.lockableResourcesManager.declaredResources: is it the YAML that ' +
        'the plugin Configuration as Code downloads?\n',
    });
  });
});

describe('import boskos', () => {
  test('makes a resource of each name, with its type as a label, and a pool of a dynamic type', () => {
    const { items } = boskos(
      `
resources:
- {type: aws-account, state: dirty, names: [account-1, account-2]}
- {type: licence, state: free, names: [licence-a]}
- {type: cluster, state: dirty, min-count: 1, max-count: 3, lifespan: 48h, needs: {aws-account: 1}}
`,
    );
    expect(items).toEqual([
      { name: 'account-1', labels: { type: 'aws-account' }, afterUse: 'dirty' },
      { name: 'account-2', labels: { type: 'aws-account' }, afterUse: 'dirty' },
      { name: 'licence-a', labels: { type: 'licence' } },
      { name: 'cluster', capacity: 3, labels: { type: 'cluster' }, afterUse: 'dirty' },
    ]);
  });

  test('has what may be half cleaned, or is made new, cleaned first', () => {
    const { items } = boskos(
      'resources: [{type: a, state: toBeDeleted}, {type: b, state: free, config: {type: Maker}}]',
    );
    expect(items).toEqual([
      { name: 'a', labels: { type: 'a' }, afterUse: 'dirty' },
      { name: 'b', labels: { type: 'b' }, afterUse: 'dirty' },
    ]);
  });

  test('has comments where there is no counterpart', () => {
    const { text } = boskos(
      'resources: [{type: c, state: cleaning, min-count: 2, lifespan: 48h, needs: {a: 1}, config: {type: Maker}}]',
    );
    for (const word of ['min-count: 2', 'lifespan: 48h', 'needs: 1 a', 'config:', 'State cleaning becomes dirty'])
      expect(text).toContain(word);
    expect(text).toContain('/acquire?type=c&state=free&dest=busy  →  --match type=c\n');
  });

  test('refuses a file without resources', () => {
    expect(() => boskos('resources: []')).toThrow('resources.yaml has no list resources with a type each');
  });
});

test('another tool is wrong use', async () => {
  const { code, stderr } = await holdfast(['import', 'jenkin', 'x']);
  expect({ code, stderr }).toEqual({
    code: 64,
    stderr: 'holdfast: jenkin is not jenkins or boskos; did you mean jenkins?\n',
  });
});

test('with --json, the resources are on stdout, and the comments on stderr', async () => {
  const stdin = 'resources: [{type: c, state: new, names: [c1]}]';
  const { code, stdout, stderr } = await holdfast(['import', 'boskos', '-', '--json'], { stdin });
  expect([code, JSON.parse(stdout)]).toEqual([0, boskos(stdin).items]);
  expect(stderr).toMatch(/^holdfast: State new becomes dirty/m);
});

test.each(['jenkins casc', 'boskos boskos'])('what import %s.yaml prints can be applied', async (words) => {
  const [tool, file] = words.split(' ');
  const made = join(folder, `${tool}.yaml`);
  const first = await bash(`holdfast import ${tool} ${FILES}/${file}.yaml > ${made}; holdfast apply -f ${made}`);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('+ ') });
  expect(await run(['apply', '-f', made])).toMatchObject({ code: 0, stdout: '' });
});
