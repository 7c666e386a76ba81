/** All checks of a campaign's history. */
import type { Check } from '../check.ts';
import { eventsAgree } from './eventsAgree.ts';
import { eventsComplete } from './eventsComplete.ts';
import { eventsOrder } from './eventsOrder.ts';
import { exclusion } from './exclusion.ts';
import { fencing } from './fencing.ts';
import { inconsistencies } from './inconsistencies.ts';
import { linearizability } from './linearizability.ts';
import { past } from './past.ts';
import { queue } from './queue.ts';
import { recovery } from './recovery.ts';
import { transactions } from './transactions.ts';

export const CHECKS: readonly Check[] = [
  exclusion,
  fencing,
  recovery,
  eventsAgree,
  eventsOrder,
  eventsComplete,
  inconsistencies,
  linearizability,
  past,
  queue,
  transactions,
];
