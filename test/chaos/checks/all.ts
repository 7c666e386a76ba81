/** All checks of a campaign's history. */
import type { Check } from '../check.ts';
import { eventsAgree } from './eventsAgree.ts';
import { eventsOrder } from './eventsOrder.ts';
import { exclusion } from './exclusion.ts';
import { fencing } from './fencing.ts';
import { inconsistencies } from './inconsistencies.ts';
import { linearizability } from './linearizability.ts';
import { recovery } from './recovery.ts';

export const CHECKS: readonly Check[] = [
  exclusion,
  fencing,
  recovery,
  eventsAgree,
  eventsOrder,
  inconsistencies,
  linearizability,
];
