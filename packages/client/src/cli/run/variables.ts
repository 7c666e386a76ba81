/** The environment of the command of `run`. */
import type { Hold } from '../../index.ts';

/** Lists have a line for each resource or slot: names may contain spaces. */
export const variablesOf = ({ resources, slots, fencingToken, requester }: Hold): Record<string, string> => ({
  HOLDFAST_RESOURCE: resources.join('\n'),
  HOLDFAST_SLOTS: slots.join('\n'),
  HOLDFAST_FENCING_TOKEN: String(fencingToken),
  HOLDFAST_REQUESTER: requester,
  HOLDFAST_RUN: requester,
});
