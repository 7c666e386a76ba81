/** Writes the texts of `--help`. */
import { HELP_OPTION, type Option } from './arguments.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exitCodes.ts';

const indent = (text: string) => text.replace(/^(?=.)/gm, '  ');

/** Two columns, the first as wide as its longest cell. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join('\n');
}

const optionRow = ({ name, short, value, text }: Option): readonly [string, string] => [
  `${short === undefined ? '   ' : `-${short},`} --${name}${value === undefined ? '' : ` ${value}`}`,
  text,
];

const VARIABLES = [
  ['HOLDFAST_URL', 'the service: https://holdfast.example.com'],
  ['HOLDFAST_KEY', 'an API key, or a derived token'],
  ['HOLDFAST_KEY_FILE', 'instead: a file with the key. It is read again when needed, so keys may rotate'],
  ['HOLDFAST_TENANT', 'instead, in CI: the tenant whose token the JWT of the job is exchanged for'],
  ['HOLDFAST_JWT_FILE', 'a file with that JWT; HOLDFAST_ID_TOKEN: the JWT itself. GitHub and Buildkite need neither'],
  ['HOLDFAST_ISSUER', 'the id of the registration, if the JWT matches several'],
  ['HOLDFAST_INSTANCE', 'the same in all steps of a job that share reservations: 10 to 32 of a-z and 0-9'],
  ['HOLDFAST_REQUESTER', 'who reserves. Without it, each start has a requester of its own'],
  ['HOLDFAST_WAIT', 'how long run and reserve wait, if --wait is not given: 10m'],
  ['HOLDFAST_NOTE', 'why they reserve, if --note is not given'],
  ['HOLDFAST_RUN', 'set by run for its command: reserves inside it take a new requester'],
] as const;

/** The help of `holdfast --help`. */
export const overview = (commands: readonly Command[]): string => `\
Reserve, share and release named resources: locks, leases, pools and queues.

Usage: holdfast <command> [options] [argument]…

Protect a job with one line:
  holdfast run --wait 10m staging -- ./deploy.sh

Commands:
${indent(columns(commands.map(({ name, summary }) => [name, summary])))}

\`holdfast <command> --help\` shows the options of a command, with examples. \`holdfast --version\` prints the version.

Environment:
${indent(columns(VARIABLES))}

${exitCodes()}
`;

/** The help of `holdfast <command> --help`. */
export function helpOf(command: Command): string {
  const options = columns([...command.options, HELP_OPTION].map(optionRow));
  const parts = [
    `${command.summary}.`,
    `Usage: holdfast ${command.synopsis}`,
    ...(command.details === undefined ? [] : [command.details]),
    `Options:\n${indent(options)}`,
    `Examples:\n${indent(command.examples.join('\n'))}`,
    ...(command.takesCommand === true ? [exitCodes()] : ['`holdfast --help` lists variables and exit codes.']),
  ];
  return `${parts.join('\n\n')}\n`;
}

const exitCodes = () => `Exit codes:\n${indent(columns(EXIT_CODES))}`;
