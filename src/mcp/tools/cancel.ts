/** The tool `cancel`: gives up a wait (docs/specification.md#tools). */
import { item, resourceName } from '../../contract/fields.ts';
import { CancelResult } from '../../contract/waiting.ts';
import { cancel as carryOut } from '../../operations/waiting.ts';
import { tool } from '../tool.ts';
import { requester } from '../words.ts';

export const cancel = tool({
  name: 'cancel',
  title: 'Stop waiting',
  description:
    'Give up your place in the queue for a resource, after reserve answered WAITING and you do not need it any more. It does not end a reservation that you hold: release does.',
  right: 'reserve',
  isDestructive: true,
  input: item({ resource: resourceName.meta({ description: 'The resource that you wait for.' }), requester }),
  output: CancelResult,
  run: async ({ deps, credential, requester }, { resource, requester: given }) => {
    const who = requester.need(given);
    const { result: results, quota } = await carryOut(deps, credential, [{ resource, requester: who }]);
    const [result] = results;
    if (result === undefined) throw new TypeError('a cancel of one item has one result');
    const name = JSON.stringify(resource);
    const message =
      result.status === 'CANCELLED'
        ? `CANCELLED: "${who}" does not wait for ${name} any more.`
        : `NOT_WAITING: "${who}" was not waiting for ${name}. If you hold it, call release.`;
    return { message, fields: result, quota };
  },
});
