/** The environment and the arguments of the command of `run`. */
import type { Hold } from '../../index.ts';

/**
 * The environment of this process, and the reservations. Lists have a line for each resource or slot: names may contain
 * spaces.
 * @param keepsKey whether the command gets the API key, too
 */
export function environmentOf(
  { resources, slots, fencingToken, requester }: Hold,
  keepsKey: boolean,
): NodeJS.ProcessEnv {
  // Commands inside it are other jobs: with the same instance, they would not exclude each other.
  const { HOLDFAST_INSTANCE, ...all } = process.env;
  const { HOLDFAST_KEY, HOLDFAST_TENANT, HOLDFAST_ID_TOKEN, HOLDFAST_JWT_FILE, ...others } = all;
  return {
    ...(keepsKey ? all : others),
    HOLDFAST_RESOURCE: resources.join('\n'),
    HOLDFAST_SLOTS: slots.join('\n'),
    HOLDFAST_FENCING_TOKEN: String(fencingToken),
    HOLDFAST_REQUESTER: requester,
    HOLDFAST_RUN: requester,
  };
}

/** An argument with `{slot}` is there once for each slot: `--serial={slot}` names the slot. */
export const commandOf = (command: readonly string[], { slots }: Pick<Hold, 'slots'>): readonly string[] =>
  command.flatMap((argument) =>
    argument.includes('{slot}') ? slots.map((slot) => argument.replaceAll('{slot}', () => slot)) : [argument],
  );
