/** What a command of `holdfast` consists of. */
import type { Arguments } from './arguments.ts';
import type { Interrupts } from './interrupts.ts';

export interface Option {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** How help names its value. Absent: it is a switch. */
  readonly value?: string;
  /** It may be given several times. */
  readonly multiple?: boolean;
  readonly text: string;
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Without `holdfast`: `check <resource>…`. */
  readonly synopsis: string;
  /** Paragraphs, as help shows them. */
  readonly details?: string;
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  /** How many positional arguments it takes. */
  readonly positionals: { readonly min: number; readonly max: number };
  /** It takes a command of its own behind `--`. */
  readonly takesCommand?: boolean;
  /** @returns the exit code */
  run(call: Call): Promise<number>;
}

/** One start of a command. */
export interface Call {
  readonly args: Arguments;
  readonly interrupts: Interrupts;
  /** Aborts when a signal ends holdfast. */
  readonly signal: AbortSignal;
}

export const URL_OPTION: Option = { name: 'url', value: '<url>', text: 'the service; default: $HOLDFAST_URL' };
export const JSON_OPTION: Option = { name: 'json', text: 'print JSON for programs' };
export const HELP_OPTION: Option = { name: 'help', short: 'h', text: 'show this help' };
export const REQUESTER_OPTION: Option = {
  name: 'requester',
  value: '<name>',
  text: 'who reserves; default: $HOLDFAST_REQUESTER',
};
