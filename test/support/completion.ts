/** Real shells, and the tests of `holdfast completion` that each has to pass (docs/command-line.md#completion). */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HELP_OPTION } from '../../packages/client/src/cli/arguments.ts';
import { COMMANDS } from '../../packages/client/src/cli/commands/index.ts';
import { folder, start } from './commandLine.ts';

const cwd = mkdtempSync(join(folder, 'completion-'));
for (const file of ['lab.yaml', 'my lab.yaml']) writeFileSync(join(cwd, file), '');

export const OPTIONS = { cwd, env: { HOLDFAST_KEY: 'hf_acme_secret', HOLDFAST_TENANT: 'acme', TERM: 'dumb' } };
const isMissing = (shell: string) => spawnSync(shell, ['--version']).status !== 0;
const NAMES = COMMANDS.map(({ name }) => name);

/** Answers what a shell offers at the end of each line. */
type Shell = (lines: readonly string[]) => Promise<string[][]>;

/** Splits the output of several completions. */
const offersIn = (stdout: string): string[][] =>
  stdout
    .split('@\n')
    .slice(0, -1)
    .map((text) => text.split('\n').filter((word) => word !== ''));

/** The word before the cursor is the last one, also if it is empty. Bash splits words at =. */
const wordsOf = (line: string) => line.replaceAll('=', ' = ').split(/ +/);

export const bash: Shell = async (lines) => {
  const calls = lines.map(
    (line) =>
      `try ${wordsOf(line)
        .map((word) => `'${word}'`)
        .join(' ')}`,
  );
  const script = `source <(holdfast completion bash)
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdfast; printf '%s\\n' "\${COMPREPLY[@]}" @; }
    ${calls.join('\n')}`;
  return offersIn((await (await start(['bash', '--norc', '-c', script], OPTIONS)).ended).stdout);
};

export const fish: Shell = async (lines) => {
  const calls = lines.map((line) => `complete -C '${line}'; echo @`);
  const script = ['holdfast completion fish | source', ...calls].join('\n');
  const { stdout } = await (await start(['fish', '--no-config', '-c', script], OPTIONS)).ended;
  return offersIn(stdout.replace(/\t.*/g, '').replace(/^--\w+=/gm, ''));
};

/** Starts a shell on a terminal. @returns types into it, and returns what it prints until the line is given up */
export async function typist(command: string, setUp: string): Promise<(typed: string) => Promise<string>> {
  const shell = await start(['script', '-qefc', `stty cols 200; exec ${command}`, '/dev/null'], {
    ...OPTIONS,
    stdin: null,
  });
  let marks = 0;
  const mark = async (before: string) => {
    // The shell prints the mark, which is not in the line that it repeats.
    shell.write(`${before}echo 'mark'${++marks}.\n`);
    await shell.prints(`\nmark${marks}.`);
    return shell.stdout().length;
  };
  onTestFinished(() => shell.kill('SIGKILL'));
  await mark(`${setUp}\n`);
  return async (typed) => {
    const from = await mark('');
    await mark(`${typed}\x15`);
    return shell.stdout().slice(from);
  };
}

export const zsh: Shell = async (lines) => {
  const setUp = "PS1='> '; autoload -U compinit; compinit -D -u; source <(holdfast completion zsh)";
  const type = await typist('zsh -f -i', setUp);
  const offers: string[][] = [];
  for (const line of lines) {
    const [printed = ''] = (await type(`${line}\t`)).split("echo 'mark");
    const [typed = '', ...below] = printed.replaceAll('\x07', '').split(/[\r\n]+/);
    // If there is a list, the line comes again below it. A single match is typed, and followed by a space.
    const end = below.findIndex((one) => one.startsWith('> '));
    const listed = below.slice(0, Math.max(end, 0)).flatMap((one) => one.replace(/ -- .*/, '').split(/ {2,}/));
    const single = typed === line ? '' : (/[ =]((\\ |[^ =])+) ?$/.exec(typed)?.[1] ?? typed);
    const words = end < 0 ? [single] : listed;
    offers.push(words.map((word) => word.replaceAll('\\', '').trim()).filter((word) => /^[\w-]/.test(word)));
  }
  return offers;
};

const sorted = (words: readonly string[] | undefined) => [...new Set(words)].sort();

/** Each shell has to offer the same. One that is not installed is skipped. */
export function describeShell(name: string, shell: Shell): void {
  describe.skipIf(isMissing(name))(`in ${name}`, () => {
    const expectOffers = async (expected: Readonly<Record<string, readonly string[]>>) => {
      const lines = Object.keys(expected).map((line) => `holdfast ${line}`);
      const offers = await shell(lines);
      expect(Object.fromEntries(lines.map((line, i) => [line, sorted(offers[i])]))).toEqual(
        Object.fromEntries(Object.values(expected).map((words, i) => [lines[i], sorted(words)])),
      );
    };

    test('the options of each command are those of the table', async () => {
      const options = COMMANDS.map((command): [string, string[]] => [
        `${command.name} --`,
        [...command.options, HELP_OPTION].map((option) => `--${option.name}`),
      ]);
      await expectOffers({ ...Object.fromEntries(options), 'unknown --': [], 'check one --js': ['--json'] });
    });

    test('no value is offered that the table does not name: no key, token, requester or resource', async () => {
      const values = COMMANDS.flatMap((command) =>
        command.options.flatMap(({ name: option, value }): [string, string[]][] =>
          value === undefined || /file|\|/.test(value) ? [] : [[`${command.name} --${option} `, []]],
        ),
      );
      const places = ['check ', 'release ', 'run one ', 'condition ', 'ls '].map((line) => [line, []] as const);
      await expectOffers({ ...Object.fromEntries(values), ...Object.fromEntries(places) });
    });

    test('commands, words and names of files are offered in their places', async () => {
      const [conditions, files, tools] = [
        ['ready', 'dirty', 'out'],
        ['lab.yaml', 'my lab.yaml'],
        ['jenkins', 'boskos'],
      ];
      await expectOffers({
        '': [...NAMES, 'help', '--help', '--version'],
        re: NAMES.filter((one) => one.startsWith('re')),
        'help ': NAMES,
        'help wh': ['why'],
        'import ': tools,
        'import j': ['jenkins'],
        'import jenkins ': files,
        'import jenkins x ': [],
        'completion ': ['bash', 'zsh', 'fish'],
        'condition one ': conditions,
        'condition --reason dark one two o': ['out'],
        'release --condition ': conditions,
        'release --condition=d': ['dirty'],
        'apply -f ': files,
        'register --file ': files,
        'apply --file=my': ['my lab.yaml'],
      });
    });

    test('the command behind -- is completed, if there is one', async () => {
      await expectOffers({
        'run one -- fals': ['false'],
        'run --ttl 5s one -- cat la': ['lab.yaml'],
        'clean one -- cat la': ['lab.yaml'],
        'check one -- fals': [],
      });
    });
  });
}
