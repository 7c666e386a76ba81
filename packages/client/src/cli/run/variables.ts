/** The environment and the arguments of the command of `run`. */
import type { Hold } from '../../index.ts';

const ATTRIBUTE = 'HOLDFAST_ATTR_';
/** Credentials that the command may be given: an API key, or what a job exchanges for a token. */
const CREDENTIALS = new Set(['HOLDFAST_KEY', 'HOLDFAST_TENANT', 'HOLDFAST_ID_TOKEN', 'HOLDFAST_JWT_FILE']);
/** Commands inside it are other jobs: with the same instance, they would not exclude each other. */
const INSTANCE = 'HOLDFAST_INSTANCE';

/**
 * The environment of this process, and the reservations. Lists have a line for each resource or slot: names may contain
 * spaces. The attributes of a command around this one are not for its own command.
 * @param keepsKey whether the command gets the API key, too
 */
export function environmentOf(hold: Hold, keepsKey: boolean): NodeJS.ProcessEnv {
  const isPassedOn = (name: string) =>
    !name.startsWith(ATTRIBUTE) && name !== INSTANCE && (keepsKey || !CREDENTIALS.has(name));
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => isPassedOn(name))),
    ...variablesOf(hold),
  };
}

/** The variables that say what is held. */
export const variablesOf = ({ resources, slots, fencingToken, requester, reservations }: Hold) => ({
  ...attributesOf(reservations),
  HOLDFAST_RESOURCE: resources.join('\n'),
  HOLDFAST_SLOTS: slots.join('\n'),
  HOLDFAST_FENCING_TOKEN: String(fencingToken),
  HOLDFAST_REQUESTER: requester,
  HOLDFAST_RUN: requester,
});

/**
 * A variable for each attribute. Its lines are those of HOLDFAST_SLOTS: an empty one stands for a slot without it.
 * Empty ones at the end are left out, so that what one resource has is no list if the resource is named first.
 */
function attributesOf(reservations: Hold['reservations']): Record<string, string> {
  const sets = reservations.flatMap(({ slots, attributes, slotAttributes }) =>
    slots.map((_, i): Record<string, string> => ({ ...variables(attributes), ...variables(slotAttributes[i] ?? {}) })),
  );
  const names = new Set(sets.flatMap((set) => Object.keys(set)));
  return Object.fromEntries(
    [...names].map((name) => {
      const last = sets.findLastIndex((set) => set[name] !== undefined);
      const lines = sets.slice(0, last + 1).map((set) => set[name] ?? '');
      return [`${ATTRIBUTE}${name}`, lines.join('\n')];
    }),
  );
}

const variables = (attributes: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key.toUpperCase(), value]));

/** An argument with `{slot}` is there once for each slot: `--serial={slot}` names the slot. */
export const commandOf = (command: readonly string[], { slots }: Pick<Hold, 'slots'>): readonly string[] =>
  command.flatMap((argument) =>
    argument.includes('{slot}') ? slots.map((slot) => argument.replaceAll('{slot}', () => slot)) : [argument],
  );
