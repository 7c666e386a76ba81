/** All checks of a campaign's history. */
import type { Check } from '../check.ts';
import { capacity } from './capacity.ts';
import { eventsAgree } from './eventsAgree.ts';
import { eventsComplete } from './eventsComplete.ts';
import { eventsOrder } from './eventsOrder.ts';
import { exclusion, fencing } from './exclusion.ts';
import { leases } from './leases.ts';
import { linearizability } from './linearizability.ts';
import { loss } from './loss.ts';
import { past } from './past.ts';
import { queue } from './queue.ts';
import { quotas } from './quotas.ts';
import { errors, inconsistencies, recovery } from './recovery.ts';
import { sessions } from './sessions.ts';
import { transactions } from './transactions.ts';

export const CHECKS: readonly Check[] = [
  exclusion,
  capacity,
  fencing,
  leases,
  loss,
  sessions,
  quotas,
  recovery,
  errors,
  eventsAgree,
  eventsOrder,
  eventsComplete,
  inconsistencies,
  linearizability,
  past,
  queue,
  transactions,
];
