/** All checks of a campaign's history. */
import type { Check } from '../check.ts';
import type { History } from '../history.ts';
import { bookings, isOfBookings } from './bookings.ts';
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

/** The history without the tenant of bookings: reservations that begin without a call, other checks do not know. */
const withoutBookings = (history: History): History => ({
  ...history,
  calls: history.calls.filter((call) => !isOfBookings(call)),
  streams: history.streams.filter((stream) => !isOfBookings(stream)),
  end: history.end.filter((state) => !isOfBookings(state)),
});

const OTHERS: readonly Check[] = [
  exclusion,
  capacity,
  fencing,
  leases,
  loss,
  sessions,
  quotas,
  recovery,
  eventsAgree,
  eventsOrder,
  eventsComplete,
  linearizability,
  past,
  queue,
  transactions,
];

export const CHECKS: readonly Check[] = [
  ...OTHERS.map((check) => ({ ...check, run: (history: History) => check.run(withoutBookings(history)) })),
  bookings,
  errors,
  inconsistencies,
];
