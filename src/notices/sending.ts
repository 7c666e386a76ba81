/**
 * The types between the delivery of batches and the senders, one for each kind of subscription
 * (docs/specification.md#subscriptions). A sender makes one attempt; the delivery decides when the next one is.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Event } from '../contract/events.ts';
import type { OpenedSubscription, SubscriptionKind } from '../domain/notices.ts';

/** An event of the tenant, as in its streams. */
export type Happened = Event & Identified;

/** Stands for events that are missing. */
export interface Gap extends Identified {
  readonly type: 'GAP';
  /** null: nobody knows how many */
  readonly missed: number | null;
}

/** The event of a delivery that somebody asked for to test a subscription. */
export interface Test extends Identified {
  readonly type: 'TEST';
}

interface Identified {
  /** The same in each delivery of the event. */
  readonly id: string;
  readonly tenantId: string;
  /** The time of the change, as in streams. */
  readonly timestamp: string;
}

export type NoticeEvent = Happened | Gap | Test;

/** What the types and the prefix of a subscription choose. */
export interface Choice {
  /** The types of events. `*`: all */
  readonly types: readonly string[];
  /** Events of resources whose name starts with it; '': all */
  readonly prefix: string;
}

/** The events of one delivery. They are the same in each attempt. */
export interface Batch {
  /** The same in each attempt. */
  readonly webhookId: string;
  /** At least one, in order. */
  readonly events: readonly NoticeEvent[];
}

export interface Outcome {
  /** The status of the answer; null: there was none. A 2xx is a success. A 410 disables the subscription. */
  readonly status: number | null;
  /** Shortest time until the next attempt, in ms, if the answer says so. */
  readonly retryAfterMs?: number;
  /** Why it failed, for the people who set up the subscription: no secrets, no addresses. null: it did not */
  readonly fault: string | null;
}

/** Time that an attempt may take, in ms. */
export const ATTEMPT_MS = 10_000;

/**
 * Makes one attempt. It rejects only for faults of the service, such as a database that is away: these are no failures
 * of the receiver.
 * @param signal aborts when the attempt takes longer than ATTEMPT_MS, and when the worker closes
 */
export type Sender = (subscription: OpenedSubscription, batch: Batch, signal: AbortSignal) => Promise<Outcome>;

/** How subscriptions of a kind get their deliveries. */
export interface Outlet {
  readonly send: Sender;
  /** Shortest time between the starts of two deliveries to a subscription, in ms. */
  readonly everyMs: number;
  /** Maximum number of events in a delivery. */
  readonly maxEvents: number;
}

/** The outlet of each kind. A kind that this instance cannot send has none: its deliveries wait. */
export type Outlets = { readonly [K in SubscriptionKind]?: Outlet };

/** What has a cursor in the outbox of a tenant: a subscription, or the personal notices of all people. */
export interface Reader extends Choice {
  readonly id: string;
  readonly tenant: string;
  /** The kind of subscription, or `persons`. */
  readonly kind: string;
  readonly everyMs: Outlet['everyMs'];
  readonly maxEvents: Outlet['maxEvents'];
  /** Makes one attempt, as a Sender does. */
  send(batch: Batch, signal: AbortSignal): Promise<Outcome>;
}

/** Makes the id of a new batch. */
export const makeWebhookId = (): string => `msg_${randomBytes(18).toString('base64url')}`;

/** Makes the event of a delivery that only tests a subscription. */
export const testEvent = (tenantId: string): Test => ({
  id: randomUUID(),
  type: 'TEST',
  tenantId,
  timestamp: new Date().toISOString(),
});
