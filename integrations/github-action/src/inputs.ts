/** The inputs of the step, as the runner passes them (action.yml), in the form of arguments of the command line. */
import { Arguments } from '../../../packages/client/src/cli/arguments.ts';
import { usageError } from '../../../packages/client/src/cli/exitCodes.ts';

/** Inputs that are options of the command line with the same name. */
const OPTIONS = ['wait', 'ttl', 'count', 'priority'] as const;

/** Inputs that are variables of the command line. */
const VARIABLES = { url: 'HOLDFAST_URL', tenant: 'HOLDFAST_TENANT', issuer: 'HOLDFAST_ISSUER' } as const;

/** Of what is called without a command line. */
export const NO_ARGUMENTS = new Arguments([], [], new Map());

/** Returns the value of an input; '' if it was left out. */
export const inputOf = (name: string): string => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/**
 * Returns the arguments that the inputs stand for. They are made without a parser: no input can become an option.
 * @param command to run meanwhile; empty: none
 * @throws ExitError of wrong use
 */
export function argumentsOf(command: readonly string[]): Arguments {
  const mode = inputOf('mode').toLowerCase();
  if (!['', 'exclusive', 'shared'].includes(mode)) throw usageError('mode is exclusive or shared');
  const given = OPTIONS.map((name): [string, readonly string[]] => [name, [inputOf(name)]]);
  const all: readonly (readonly [string, readonly string[]])[] = [
    ...given.filter(([, [value]]) => value !== ''),
    ['match', linesOf(inputOf('match'))],
    ['note', [linesOf(inputOf('note')).join(' ') || addressOfRun()].filter((note) => note !== '')],
    ...(mode === 'shared' ? [['shared', ['']] as const] : []),
  ];
  const options = all.flatMap(([name, values]): [string, string[]][] =>
    values.length > 0 ? [[name, [...values]]] : [],
  );
  return new Arguments(linesOf(inputOf('resource')), command, new Map(options));
}

/** Passes inputs that say where the service is to the parts of the command line that read variables. */
export function setVariables(): void {
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const value = inputOf(name);
    if (value !== '') process.env[variable] = value;
  }
}

function addressOfRun(): string {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = process.env;
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY || !GITHUB_RUN_ID) return '';
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
}
