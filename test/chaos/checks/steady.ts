/** Tells names that always mean the same slots from those whose definition callers change. */
import type { History } from '../history.ts';
import { FIXED } from '../things.ts';
import { lastOf } from './seen.ts';

/** Returns whether a name, a slot or a path of a tenant has had one meaning for the whole campaign. */
export function steadyNames(history: Pick<History, 'calls'>): (tenant: string, name: string) => boolean {
  const changing = new Set<string>();
  for (const call of history.calls) {
    if (call.verb === 'register')
      for (const { name } of call.request) if (!isFixed(name)) changing.add(`${call.tenant} ${name}`);
    if (call.verb === 'delete') changing.add(`${call.tenant} ${call.request}`);
  }
  return (tenant, name) => {
    const last = lastOf(name);
    return !changing.has(`${tenant} ${last}`) && !changing.has(`${tenant} ${last.replace(/_\d+$/, '')}`);
  };
}

const isFixed = (name: string) => FIXED.some((one) => one.name === name);
