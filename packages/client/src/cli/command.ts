/** A command of `holdfast`. */
import type { Arguments, Option, Syntax } from './arguments.ts';
import type { Interrupts } from './interrupts.ts';

export interface Command extends Syntax {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Paragraphs, as help shows them. */
  readonly details?: string;
  readonly examples: readonly string[];
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
/** Of commands that run another one while they hold something. */
export const TTL_OPTION: Option = {
  name: 'ttl',
  value: '<duration>',
  text: 'the lease, which is renewed at a third of it. Default: 30s',
};
export const KEEP_KEY_OPTION: Option = {
  name: 'keep-key',
  text: 'pass HOLDFAST_KEY on to the command, which runs holdfast itself',
};
export const REQUESTER_OPTION: Option = {
  name: 'requester',
  value: '<name>',
  text: 'who reserves; default: $HOLDFAST_REQUESTER',
};
