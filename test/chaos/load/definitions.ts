/** Registers, changes and deletes definitions while others reserve by them, and puts FIXED back where it is lost. */
import type { Definition } from '../../../src/contract/definitions.ts';
import { FIXED, SHIFTING } from '../things.ts';
import type { Caller } from './caller.ts';
import { release, take } from './holding.ts';
import { send } from './http.ts';

/** Changes the capacity and the place of a resource that others reserve, or deletes it. */
export async function redefine(caller: Caller): Promise<void> {
  const { random } = caller;
  const name = random.pick(SHIFTING);
  if (random.chance(0.1)) return void (await caller.ask('delete', name));
  const treePath = random.chance(0.3) ? 'root' : null;
  await caller.ask('register', [{ name, capacity: random.between(1, 4), treePath }]);
}

/** Registers a pool, reserves of it, gives it back and deletes it. */
export async function makeAndDelete(caller: Caller): Promise<void> {
  const requester = caller.requester();
  const name = `made-${requester}`;
  await caller.ask('register', [{ name, capacity: 2 }]);
  const leased = { requester, ttlSeconds: 5 };
  const held = await take(caller, { resource: name, ...leased }, { resource: `${name}_1`, ...leased });
  await release(caller, held);
  await caller.ask('delete', name);
}

/** Looks whether FIXED is registered, and registers it again if a Redis has lost it. */
export async function restore(caller: Caller): Promise<void> {
  const { shift } = caller;
  while (!shift.isOver) {
    await shift.pause(300);
    if (await isComplete(caller)) shift.isRegistered = true;
    else {
      shift.isRegistered = false;
      await caller.call('register', FIXED);
    }
  }
}

/** Returns true if no definition of FIXED is known to be lost. */
async function isComplete({ shift, tenant, random }: Caller): Promise<boolean> {
  const url = `${random.pick(shift.system.addresses).url}/api/v1/Resource/definitions`;
  const answer = await send(shift.agent, { url, method: 'GET', headers: { 'x-api-key': tenant.key } }, 2000);
  if (answer.status !== 200) return shift.isRegistered;
  const definitions: Definition[] = JSON.parse(answer.text);
  const names = new Set(definitions.map(({ name }) => name));
  return FIXED.every(({ name }) => names.has(name));
}
