/** Reads the arguments of one command, and checks them against its options. */
import { parseArgs } from 'node:util';
import { msOf } from '../durations.ts';
import { usageError } from './exitCodes.ts';
import { didYouMean, shown } from './nearest.ts';

export interface Option {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** Name of its value in the help. Absent: it is a switch. */
  readonly value?: string;
  /** It may be given several times. */
  readonly multiple?: boolean;
  readonly text: string;
}

/** The arguments and options of a command. */
export interface Syntax {
  readonly name: string;
  /** Without `holdfast`: `check <resource>…`. */
  readonly synopsis: string;
  readonly options: readonly Option[];
  /** Number of positional arguments that it takes. */
  readonly positionals: { readonly min: number; readonly max: number };
  /** It takes a command of its own behind `--`. */
  readonly takesCommand?: boolean;
}

export const HELP_OPTION: Option = { name: 'help', short: 'h', text: 'show this help' };

/** The arguments of a command. Its readers throw an ExitError that names the option. */
export class Arguments {
  /** Resources, or whatever else the command takes without an option. */
  readonly positionals: readonly string[];
  /** The words after `--`. */
  readonly command: readonly string[];
  readonly #options: ReadonlyMap<string, readonly string[]>;

  constructor(positionals: readonly string[], command: readonly string[], options: ReadonlyMap<string, string[]>) {
    this.positionals = positionals;
    this.command = command;
    this.#options = options;
  }

  /** Returns true if an option was given. */
  has(name: string): boolean {
    return this.#options.has(name);
  }

  /** The values of an option, in order. */
  all(name: string): readonly string[] {
    return this.#options.get(name) ?? [];
  }

  /** The value of an option; the last one counts. @param variable has it, if the option is not given */
  text(name: string, variable?: string): string | undefined {
    return this.all(name).at(-1) ?? (variable === undefined ? undefined : process.env[variable] || undefined);
  }

  /** The value of an option in ms. @param variable has it, if the option is not given */
  duration(name: string, variable?: string): number | undefined {
    const text = this.text(name, variable);
    if (text === undefined) return undefined;
    try {
      return msOf(text, name);
    } catch {
      const where = variable === undefined || this.has(name) ? `--${name}` : variable;
      throw usageError(`${where} is a duration such as 30s, 10m or 1h, not ${JSON.stringify(shown(text))}`);
    }
  }

  integer(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined || /^[+-]?\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
    throw usageError(`--${name} is a whole number, not ${JSON.stringify(shown(text))}`);
  }
}

/** Splits what follows the first `--` off. */
function splitCommand(argv: readonly string[]): { own: readonly string[]; command: readonly string[] | null } {
  const at = argv.indexOf('--');
  return at < 0 ? { own: argv, command: null } : { own: argv.slice(0, at), command: argv.slice(at + 1) };
}

const configOf = ({ value, short }: Option) => ({
  type: value === undefined ? ('boolean' as const) : ('string' as const),
  multiple: true,
  ...(short === undefined ? {} : { short }),
});

/** The value of an option as it was given; an empty text for a switch. */
function checkedValue(command: Syntax, known: Option | undefined, raw: string, token: Token): string {
  if (known === undefined) {
    const names = command.options.map(({ name }) => name);
    const hint = raw.startsWith('--') ? didYouMean(token.name, names, '--') : '';
    throw usageError(`${raw} is not an option of ${command.name}${hint}`);
  }
  if (known.value === undefined) {
    if (token.value !== undefined) throw usageError(`${raw} takes no value`);
    return '';
  }
  const isOption = token.inlineValue !== true && /^-(?!\d|$)/.test(token.value ?? '');
  if (token.value === undefined || isOption) throw usageError(`${raw} needs a value: ${raw} ${known.value}`);
  return token.value;
}

interface Token {
  readonly name: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/**
 * @param argv what follows the name of the command
 * @throws ExitError of wrong use
 */
export function readArguments(command: Syntax, argv: readonly string[]): Arguments {
  const { own, command: rest } = splitCommand(argv);
  const options = [...command.options, HELP_OPTION];
  const { tokens } = parseArgs({
    args: [...own],
    options: Object.fromEntries(options.map((option) => [option.name, configOf(option)])),
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const known = options.find(({ name }) => name === token.name);
    const value = checkedValue(command, known, token.rawName, token);
    const former = values.get(token.name) ?? [];
    if (former.length > 0 && !known?.multiple && known?.value !== undefined)
      throw usageError(`${token.rawName} is given twice`);
    values.set(token.name, [...former, value]);
  }
  const args = new Arguments(positionals, rest ?? [], values);
  if (!args.has('help')) checkCounts(command, args, rest !== null);
  return args;
}

function checkCounts(command: Syntax, { positionals, command: rest }: Arguments, hasCommand: boolean): void {
  const usage = `usage: holdfast ${command.synopsis}`;
  if (command.takesCommand === true && rest.length === 0)
    throw usageError(`${command.name} needs a command after --; ${usage}`);
  if (command.takesCommand !== true && hasCommand) throw usageError(`${command.name} takes no command; ${usage}`);
  const { min, max } = command.positionals;
  if (positionals.length < min) throw usageError(`an argument is missing; ${usage}`);
  if (positionals.length > max) throw usageError(`${shown(positionals[max] ?? '')} is one argument too many; ${usage}`);
}
