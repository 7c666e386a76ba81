/** Looks at what others do. */
import { PLAIN } from '../things.ts';
import type { Caller } from './caller.ts';

export async function look(caller: Caller): Promise<void> {
  const { random } = caller;
  const resource = random.pick([...PLAIN, 'pool', 'wide', 'rail', 'root']);
  const drawn = random.next();
  if (drawn < 0.3) await caller.call('available', resource);
  else if (drawn < 0.6)
    await caller.call('check', [{ resource }, { resource: random.pick(PLAIN), requester: 'nobody' }]);
  else if (drawn < 0.8) await caller.call('active', resource);
  else if (drawn < 0.9) await caller.call('waiting', null);
  else await caller.call('past', { resource });
}
