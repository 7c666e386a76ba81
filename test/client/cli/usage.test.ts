/** Help, wrong use and configuration of `holdfast`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import manifest from '../../../packages/client/package.json' with { type: 'json' };
import { readArguments } from '../../../packages/client/src/cli/arguments.ts';
import { COMMANDS } from '../../../packages/client/src/cli/commands/index.ts';
import { EXIT, EXIT_CODES } from '../../../packages/client/src/cli/exitCodes.ts';
import { helpOf, overview } from '../../../packages/client/src/cli/help.ts';
import { messageOf } from '../../../packages/client/src/cli/messages.ts';
import { holdfast } from '../../support/commandLine.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-usage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DOCUMENT = readFileSync('docs/command-line.md', 'utf8');
const commandOf = (name: string) => {
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return command;
};

/** Why arguments are refused. */
function refusal(name: string, ...argv: readonly string[]): string {
  try {
    readArguments(commandOf(name), argv);
  } catch (error) {
    return messageOf(error);
  }
  return 'not refused';
}

/** The arguments of each call of `holdfast` in a line of bash. */
function callsOf(line: string): string[][] {
  const stub = `holdfast() { printf '%s\\0' "$@" >&3; printf '\\n\\0' >&3; }; hold=x token=y; echo x > hold.json`;
  const { output } = spawnSync('bash', ['-c', `${stub}\n${line}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  const calls = (output[3] ?? '').split('\n\0').slice(0, -1);
  return calls.map((call) => call.split('\0').slice(0, -1));
}

describe('help', () => {
  test('lists the commands, the variables and the exit codes', async () => {
    const { code, stdout, stderr } = await holdfast(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(overview(COMMANDS));
    for (const { name } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    const variables = ['URL', 'KEY', 'KEY_FILE', 'REQUESTER', 'RUN'].map((name) => `HOLDFAST_${name}`);
    for (const name of [...variables, '--version']) {
      expect(stdout).toMatch(new RegExp(`${name}\\b`));
      expect(DOCUMENT).toMatch(new RegExp(`${name}\\b`));
    }
    expect(await holdfast(['--version'])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
  });

  test('of a command has its usage, options and examples', async () => {
    const { code, stdout } = await holdfast(['run', '--help']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: helpOf(commandOf('run')) });
    expect(await holdfast(['help', 'run'])).toMatchObject({ code: 0, stdout });
  });

  test.each(COMMANDS.map(({ name }) => name))('of %s has examples that are right', (name) => {
    const command = commandOf(name);
    const help = helpOf(command);
    for (const part of [`Usage: holdfast ${name} `, '--help', 'Examples:\n']) expect(help).toContain(part);
    const lines = Math.max(...help.split('\n').map((line) => line.length));
    expect(lines).toBeLessThanOrEqual(120);
    const calls = command.examples.flatMap(callsOf);
    expect(calls.length).toBeGreaterThan(0);
    for (const [verb = '', ...argv] of calls) expect(() => readArguments(commandOf(verb), argv)).not.toThrow();
  });

  test('offers --json in all commands but those whose stdout belongs to another program', () => {
    const without = COMMANDS.filter(({ options }) => !options.some(({ name }) => name === 'json'));
    expect(without.map(({ name }) => name)).toEqual(['run', 'clean', 'mcp', 'completion']);
  });

  test('and the document name the same commands and exit codes', () => {
    for (const { name } of COMMANDS) expect(DOCUMENT).toMatch(new RegExp(`\`${name}\\b`));
    const codes = [...DOCUMENT.matchAll(/^\| ([\d, ]+|128 \+ n|any other) \| /gm)].flatMap(([, code = '']) =>
      code.split(', '),
    );
    expect(codes).toEqual(EXIT_CODES.map(([code]) => code));
  });
});

describe('wrong use', () => {
  test.each([
    [['run', 'a', './deploy.sh'], 'run needs a command after --; usage: holdfast run [options] <resource>…'],
    [['run', '--tll', '5s', 'a', '--', 'true'], '--tll is not an option of run; did you mean --ttl?'],
    [['run', '--ttl', '--wait', '5s', 'a', '--', 'true'], '--ttl needs a value: --ttl <duration>'],
    [['run', '--shared=yes', 'a', '--', 'true'], '--shared takes no value'],
    [['run', '--ttl', '5s', '--ttl', '6s', 'a', '--', 'true'], '--ttl is given twice'],
    [['ls', 'a'], 'a is one argument too many; usage: holdfast ls [options]'],
    [['check'], 'an argument is missing; usage: holdfast check [options] <resource>…'],
    [['check', 'a', '--', 'b'], 'check takes no command'],
  ])('%j is refused', ([name = '', ...argv], message) => {
    expect(refusal(name, ...argv)).toContain(message);
  });

  test('a negative number is a value', () => {
    expect(readArguments(commandOf('reserve'), ['a', '--priority', '-5']).integer('priority')).toBe(-5);
  });

  test.each([
    [['rum'], 'holdfast: rum is not a command; did you mean run? `holdfast --help` lists them\n'],
    [['unregistre'], 'holdfast: unregistre is not a command; did you mean unregister? `holdfast --help` lists them\n'],
    [['deregister'], 'holdfast: deregister is not a command; did you mean unregister? `holdfast --help` lists them\n'],
    [['unreserve'], 'holdfast: unreserve is not a command; did you mean release? `holdfast --help` lists them\n'],
    [['unreserv'], 'holdfast: unreserv is not a command; `holdfast --help` lists them\n'],
    [[], 'holdfast: which command? `holdfast --help` lists them\n'],
    [['--json', 'ls'], 'holdfast: the command comes first: holdfast <command> --json\n'],
    [['run', '--ttl', '5', 'a', '--', 'true'], 'holdfast: --ttl is a duration such as 30s, 10m or 1h, not "5"\n'],
    [['run', '--', 'true'], 'holdfast: name a resource, or use --match\n'],
    [['run', '--count', '2', 'a', 'b', '--', 'true'], 'holdfast: --count is for one resource by its name\n'],
    [['run', '--count', '2', '--match', 'os=ios', '--', 'true'], 'holdfast: --count is for one resource by its name\n'],
    [['run', '--quantity', '2', 'x', '--', 'true'], 'holdfast: --quantity is for a --match\n'],
    [['run', '--match', 'os', '--', 'true'], 'holdfast: --match is <label>=<value>, not "os"\n'],
    [['run', '--match', 'os=a,os!=b', '--', 'true'], 'holdfast: --match has both os= and os!=: say what is wanted\n'],
    [['cancel', 'a'], 'holdfast: who waits? cancel needs --requester, or HOLDFAST_REQUESTER\n'],
    [['release', 'a'], 'holdfast: the argument is not what `reserve --json` printed; a name needs --token\n'],
    [['release', '-'], 'holdfast: stdin is empty: - reads what `reserve --json` printed\n'],
    [['reset'], 'holdfast: reset needs --yes without a terminal\n'],
  ])('%j ends with 64 and one line', async (argv, stderr) => {
    const env = { HOLDFAST_URL: 'http://127.0.0.1:9', HOLDFAST_KEY: 'hf_t_x' };
    expect(await holdfast(argv, { env })).toEqual({ code: EXIT.usage, stdout: '', stderr });
  });
});

describe('the environment', () => {
  test.each([
    [{}, 'HOLDFAST_URL is not set: where is the service? https://holdfast.example.com'],
    [{ HOLDFAST_URL: 'http://127.0.0.1:9' }, 'HOLDFAST_KEY is not set: an API key'],
    [{ HOLDFAST_URL: 'http://127.0.0.1:9', HOLDFAST_KEY: ' ' }, 'HOLDFAST_KEY is blank: an API key'],
    [
      { HOLDFAST_URL: 'http://127.0.0.1:9', HOLDFAST_KEY: 'a', HOLDFAST_KEY_FILE: 'b' },
      'HOLDFAST_KEY and HOLDFAST_KEY_FILE are both set: which one?',
    ],
    [
      { HOLDFAST_URL: 'http://127.0.0.1:9', HOLDFAST_KEY_FILE: '/dev/null' },
      'HOLDFAST_KEY_FILE is blank: there is no key in /dev/null',
    ],
  ])('%j lacks something: 78', async (env, message) => {
    expect(await holdfast(['ls'], { env })).toEqual({ code: 78, stdout: '', stderr: `holdfast: ${message}\n` });
  });

  test('a key file that cannot be read: 66', async () => {
    const env = { HOLDFAST_URL: 'http://127.0.0.1:9', HOLDFAST_KEY_FILE: '/no/such/file' };
    const stderr = 'holdfast: /no/such/file cannot be read (ENOENT)\n';
    expect(await holdfast(['ls'], { env })).toEqual({ code: 66, stdout: '', stderr });
  });

  test('an address that is none: 64', async () => {
    const env = { HOLDFAST_URL: 'localhost:8080', HOLDFAST_KEY: 'hf_t_x' };
    expect(await holdfast(['ls'], { env })).toMatchObject({ code: 64 });
  });
});
