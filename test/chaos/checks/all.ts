/** All checks of a campaign's history. */
import type { Check } from '../check.ts';
import { exclusion } from './exclusion.ts';
import { fencing } from './fencing.ts';
import { recovery } from './recovery.ts';

export const CHECKS: readonly Check[] = [exclusion, fencing, recovery];
