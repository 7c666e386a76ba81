/** What a step tells the runner: values in files that it names, and commands in the log. */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { EXIT, ExitError } from '../../../packages/client/src/cli/exitCodes.ts';
import { plain, say, write } from '../../../packages/client/src/cli/output.ts';
import { variablesOf } from '../../../packages/client/src/cli/run/variables.ts';
import type { Hold } from '../../../packages/client/src/index.ts';

/** Outputs of the step, variables of later steps, and what only the post step gets, as `STATE_<name>`. */
type Kind = 'GITHUB_OUTPUT' | 'GITHUB_ENV' | 'GITHUB_STATE';

/** @throws ExitError if this is no step of GitHub Actions */
export function set(kind: Kind, name: string, value: string): void {
  const file = process.env[kind];
  if (!file) throw new ExitError(EXIT.notConfigured, `${kind} is not set: this is a step of GitHub Actions`);
  // Nobody can guess this line, so no value can end early and set others.
  const end = `end-${randomUUID()}`;
  appendFileSync(file, `${name}<<${end}\n${value}\n${end}\n`);
}

/** Sets the outputs of the step. */
export function setOutputs({ resources, slots, fencingToken }: Hold): void {
  set('GITHUB_OUTPUT', 'resource', resources.join('\n'));
  set('GITHUB_OUTPUT', 'slots', slots.join('\n'));
  set('GITHUB_OUTPUT', 'fencing-token', String(fencingToken));
  say(`${resources.join(', ')} is held${slots.join() === resources.join() ? '' : `: ${slots.join(', ')}`}`);
}

/** Sets the variables of `holdfast run` for the later steps. */
export function setVariablesOfJob(hold: Hold): void {
  for (const [name, value] of Object.entries(variablesOf(hold))) set('GITHUB_ENV', name, value);
}

/** Hides a text in the log of the whole job. */
export const mask = (secret: string): void => write(`::add-mask::${secret}\n`);

/** Reports what makes the step fail, as an annotation. */
export const fail = (message: string): void =>
  write(`::error title=Holdfast::${plain(message).replaceAll('%', '%25')}\n`);
