/** `holdfast completion` in bash (docs/command-line.md#completion). */
import { expect, test } from 'vitest';
import { holdfast } from '../../support/commandLine.ts';
import { bash, describeShell, OPTIONS, typist } from '../../support/completion.ts';

describeShell('bash', bash);

test('bash completes on a terminal, as the script is loaded', async () => {
  const type = await typist('bash --norc --noprofile -i', 'source <(holdfast completion bash)');
  expect(await type('holdfast compl\tfi\t')).toContain('holdfast completion fish ');
  expect(await type('holdfast apply --file=my\t')).toContain('holdfast apply --file=my\\ lab.yaml ');
});

test('a script has nothing of its environment, and other shells have none', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await holdfast(['completion', shell], OPTIONS);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('acme');
  }
  const stderr = 'holdfast: bahs is not bash, zsh or fish\n';
  expect(await holdfast(['completion', 'bahs'])).toEqual({ code: 64, stdout: '', stderr });
});
