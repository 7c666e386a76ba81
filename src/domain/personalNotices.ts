/**
 * Personal notices (docs/specification.md#personal-notices): what a member has chosen, and the addresses in messages.
 */
import type { EventType } from './eventTypes.ts';
import { type Channel, PERSONAL_NOTICES, type PersonalNotice } from './notices.ts';

/** The channels of each notice. */
export type Choices = Readonly<Record<PersonalNotice, readonly Channel[]>>;

/** Nothing is sent until somebody chose it. */
export const NO_CHOICES: Choices = { TURN: [], BEGINS: [], ENDS_SOON: [], WANTED: [], TAKEN: [] };

/** The types of the events that each notice is made of. */
export const EVENTS_OF = {
  TURN: ['RESERVED'],
  BEGINS: ['RESERVED', 'BOOKING_DELAYED', 'CONDITION'],
  ENDS_SOON: ['ENDS_SOON'],
  WANTED: ['WANTED'],
  TAKEN: ['UNRESERVED', 'BOOKING_CANCELLED'],
} as const satisfies Record<PersonalNotice, readonly EventType[]>;

/** The types of the events that notices are made of. */
export const eventsOf = (notices: readonly PersonalNotice[]): readonly EventType[] =>
  PERSONAL_NOTICES.filter((notice) => notices.includes(notice)).flatMap((notice) => EVENTS_OF[notice]);

/** The cursor of all personal notices in the outbox of a tenant. */
export const PERSONS = 'persons';

/** The page that messages about a reservation link to. It asks for sign-in and a click. */
export const NOTICE_PAGE = '/dashboard/notice';

/** The address of that page, without the origin. */
export const noticePath = (tenant: string, notice: PersonalNotice, resource: string): string =>
  `${NOTICE_PAGE}?${new URLSearchParams({ tenant, notice, resource })}`;

/** The page at which somebody unsubscribes, by a click and without sign-in; `POST` alone unsubscribes. */
export const UNSUBSCRIBE_PAGE = '/dashboard/unsubscribe';

/** The address of that page, without the origin. */
export const unsubscribePath = (token: string): string => `${UNSUBSCRIBE_PAGE}?${new URLSearchParams({ token })}`;
