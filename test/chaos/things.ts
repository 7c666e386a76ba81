/**
 * The resources of a campaign. Names of FIXED never change their definition, so checks know their slots.
 */
import type { RegistrationItem } from '../support/client.ts';

/** Names that are not registered: one slot each. */
export const PLAIN = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5'] as const;

/** Definitions that last for the whole campaign. */
export const FIXED: readonly RegistrationItem[] = [
  { name: 'pool', capacity: 3 },
  { name: 'wide', capacity: 8 },
  { name: 'root', capacity: 4 },
  { name: 'branch', capacity: 2, treePath: 'root' },
  { name: 'leaf0', treePath: 'root>branch' },
  { name: 'leaf1', treePath: 'root>branch' },
  { name: 'leaf2', treePath: 'root' },
  { name: 'rail' },
  { name: 'crane0', blocks: ['rail'] },
  { name: 'crane1', blocks: ['rail'] },
  { name: 'phone0', labels: { kind: 'phone' } },
  { name: 'phone1', labels: { kind: 'phone' } },
  { name: 'bay', capacity: 2 },
  { name: 'gate' },
  { name: 'lift', blocks: ['gate'] },
  { name: 'yard' },
  { name: 'dock', treePath: 'yard' },
];

/** The resources of a crowd: names, a pool and its slots, a blocker, an ancestor. */
export const CROWDED: readonly { readonly resource: string; readonly count?: number }[] = [
  ...['k0', 'k1', 'k2', 'bay', 'bay_0', 'bay_1', 'gate', 'lift', 'yard', 'dock'].map((resource) => ({ resource })),
  { resource: 'bay', count: 2 },
];

/** Names whose capacity and path callers change while they are reserved. */
export const SHIFTING = ['shift0', 'shift1'] as const;

/** Names that are reserved once, without a lease, and never given back, begin with this: nothing may lose them. */
export const KEPT_PREFIX = 'kept-';

/** The limits of the tenant `quota`, which its callers exceed. */
export const QUOTA = { writesPerMinute: 120, readsPerMinute: 300, reservations: 25 } as const;

/** Requesters of the campaign itself, whose calls are not recorded, begin with this: so does what they reserve. */
export const SERVED_PREFIX = 'served-';

/** The pool of the tenant `booked`: it has more slots than are ever booked at the same time. */
export const DESKS = { name: 'desk', capacity: 60, bookable: true } as const satisfies RegistrationItem;
