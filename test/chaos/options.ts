/** The options of `npm run chaos`. */
import { parseArgs } from 'node:util';
import { FAULTS } from './faults/all.ts';
import { SETUPS } from './setups/start.ts';

/** Each option with its default and what it means. */
const OPTIONS = {
  minutes: ['10', 'how long rounds are begun'],
  seconds: ['60', 'how long faults happen in each round'],
  seed: ['random', 'an integer, of the first round. Each further round has the next one'],
  setup: ['all', 'a setup. Give it several times for several'],
  fault: ['all', 'a kind of fault. Give it several times for several'],
  other: ['none', 'the commit from and to which rolling updates go'],
  callers: ['12', 'how many callers use every operation'],
  to: ['chaos-results', 'the folder for histories with violations'],
} as const;

export interface Options {
  readonly minutes: number;
  readonly seconds: number;
  readonly seed: number;
  readonly setups: typeof SETUPS;
  readonly faults: typeof FAULTS;
  readonly other: string | undefined;
  readonly callers: number;
  readonly to: string;
}

/** Text to print instead of a campaign: help, or what is wrong with an option. */
export interface Message {
  readonly text: string;
  readonly exitCode: 0 | 2;
}

/** @param args the words after the program's name */
export function readOptions(args: readonly string[]): Options | Message {
  try {
    return parse(args);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { text: `${why}\n\n${HELP}`, exitCode: 2 };
  }
}

const HELP = [
  'npm run chaos -- [options]: injects faults into a real service under load, and checks what it answered.',
  '',
  ...Object.entries(OPTIONS).map(([name, [value, what]]) => `  --${name.padEnd(8)}  ${what} (${value})`),
  '',
  `Setups: ${SETUPS.map(({ name }) => name).join(', ')}`,
  `Faults: ${FAULTS.map(({ kind }) => kind).join(', ')}`,
].join('\n');

function parse(args: readonly string[]): Options | Message {
  const string = { type: 'string' } as const;
  const several = { type: 'string', multiple: true } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ help: { type: 'boolean', default: false }, minutes: string, seconds: string, seed: string },
      ...{ setup: several, fault: several, other: string, callers: string, to: string },
    },
  });
  if (values.help) return { text: HELP, exitCode: 0 };
  const number = (name: 'minutes' | 'seconds' | 'seed' | 'callers', value: string) => {
    const read = Number(values[name] ?? value);
    if (!Number.isFinite(read) || read < 0) throw new Error(`--${name} must be a number`);
    return read;
  };
  return {
    minutes: number('minutes', OPTIONS.minutes[0]),
    seconds: number('seconds', OPTIONS.seconds[0]),
    seed: number('seed', String(Math.floor(Math.random() * 1_000_000))),
    setups: chosen(SETUPS, values.setup ?? [], ({ name }) => name),
    faults: chosen(FAULTS, values.fault ?? [], ({ kind }) => kind),
    other: values.other,
    callers: number('callers', OPTIONS.callers[0]),
    to: values.to ?? OPTIONS.to[0],
  };
}

/** Those with one of the names; all if there are no names. */
function chosen<T>(all: readonly T[], names: readonly string[], nameOf: (one: T) => string): readonly T[] {
  const unknown = names.filter((name) => !all.some((one) => nameOf(one) === name));
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}`);
  return names.length === 0 ? all : all.filter((one) => names.includes(nameOf(one)));
}
