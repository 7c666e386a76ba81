/** No call meets a fault of the service itself (docs/specification.md#errors). */
import type { Check } from '../check.ts';
import { limited, timeOf } from './words.ts';

export const errors: Check = {
  name: 'errors',
  rule: 'No call is answered 500: whatever is broken is a 503.',
  run: ({ calls, startedAt }) => ({
    looked: calls.length,
    violations: limited(
      calls
        .filter(({ status }) => status === 500)
        .map((call) => ({
          check: errors.name,
          what: `call ${call.id} (${call.verb} at ${call.at}) was answered 500 at ${timeOf(call.completedAt, startedAt)}`,
          calls: [call],
        })),
    ),
  }),
};
