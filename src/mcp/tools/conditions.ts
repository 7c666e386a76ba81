/** The tool `set_condition`: takes resources out of service, and brings them back (docs/specification.md#tools). */
import { ConditionItem, ConditionResult } from '../../contract/conditions.ts';
import { setCondition as carryOut } from '../../operations/conditions.ts';
import { tool } from '../tool.ts';

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
    const { result: results, quota } = await carryOut(deps, credential, [input]);
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
