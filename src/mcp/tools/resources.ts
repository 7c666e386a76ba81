/** The tools for those who keep resources: register and set_condition (docs/specification.md#tools). */
import { z } from 'zod';
import { ConditionItem, ConditionResult } from '../../contract/conditions.ts';
import { Definition, Registration } from '../../contract/definitions.ts';
import { setCondition as changeCondition } from '../../operations/conditions.ts';
import { register as carryOut } from '../../operations/definitions.ts';
import { tool } from '../tool.ts';
import { lines } from '../words.ts';

export const register = tool({
  name: 'register',
  title: 'Register a resource',
  description:
    'Register a resource, or replace its definition: how many slots it has (a pool of 3 browsers has capacity 3), what it belongs to, its labels. Most resources need no registration: just reserve them by name. A definition that exists is replaced for everybody, so look with list_resources first. Reservations keep their slots.',
  right: 'define',
  isDestructive: true,
  // Without its id, by which JSON Schema would only refer to it.
  input: Registration.clone(Registration.def),
  output: z.object({ resources: z.array(Definition) }),
  run: async ({ deps, credential }, input) => {
    const { result, quota } = await carryOut(deps, credential, [input]);
    const texts = result.map(({ name, capacity, bookable }) => {
      const what = capacity === null ? 'group' : `capacity ${capacity}`;
      return `${JSON.stringify(name)}: ${what}${bookable === true ? ', bookable' : ''}`;
    });
    return { message: lines('Registered:', texts), fields: { resources: result }, quota };
  },
});

export const setCondition = tool({
  name: 'set_condition',
  title: 'Take a resource out of service',
  description:
    'Say that a registered resource is out of service, that it is dirty, or that it is ready again. Nobody gets it before it is ready; who holds it keeps it. If you hold a resource and find it broken, pass condition to release instead.',
  right: 'define',
  isDestructive: true,
  // Without its id, by which JSON Schema would only refer to it.
  input: ConditionItem.clone(ConditionItem.def),
  output: ConditionResult,
  run: async ({ deps, credential }, input) => {
    const { result: results, quota } = await changeCondition(deps, credential, [input]);
    const [result] = results;
    if (result === undefined) throw new TypeError('a change of one item has one result');
    return { message: changedText(result), fields: result, isError: result.status === 'NOT_VALID', quota };
  },
});

const WORDS = { ready: 'ready', dirty: 'dirty', out: 'out of service' } as const;

function changedText({ resource, condition, status, explanation }: ConditionResult): string {
  const state = `${JSON.stringify(resource)} is ${WORDS[condition]}`;
  if (status === 'NOT_VALID') return `${explanation}. Only registered resources have a condition: see list_resources.`;
  if (status === 'UNCHANGED') return `UNCHANGED: ${state} already.`;
  return condition === 'ready' ? `CHANGED: ${state}.` : `CHANGED: ${state}. Nobody gets it until it is ready again.`;
}
