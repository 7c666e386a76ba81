/**
 * Delivers notices, in an instance that runs jobs and has a database.
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { HoldfastError } from '../domain/errors.ts';
import type { DisabledReason, OpenedSubscription } from '../domain/notices.ts';
import { PERSONS } from '../domain/personalNotices.ts';
import { dropCursor } from '../engine/notices/cursors.ts';
import { Sealer } from '../identity/credentials.ts';
import type { Job } from '../jobs/jobs.ts';
import { Deliveries } from '../notices/deliveries.ts';
import { RESULTS } from '../notices/delivery.ts';
import { startDigests } from '../notices/mail/mailer.ts';
import { startPersons } from '../notices/persons.ts';
import type { Outlet, Reader } from '../notices/sending.ts';
import { lookAtAll, takeHints } from '../notices/worker.ts';
import { openSubscription } from '../operations/sealedSubscriptions.ts';
import type { SlackSite } from '../outgoing/slack.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Store } from '../store/records.ts';
import { disableSubscription, readSubscriptions, withinLimit } from '../store/subscriptions.ts';
import { tenantsWithNotices } from '../store/wantedNotices.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { makeOutlets } from './outlets.ts';

/** Interval of looks at all outboxes. */
const LOOK_EVERY_MS = 5000;

interface NoticesDeps {
  readonly store: Store;
  /** For BullMQ alone. */
  readonly connection: RedisClient;
  readonly slack: SlackSite;
  readonly metrics: Metrics | null;
  readonly log: Logger;
}

export interface Notices {
  readonly job: Job;
  /** Has a tenant's outbox looked at now. */
  wake(tenant: string): void;
  close(): Promise<void>;
}

export async function startNotices(
  config: Config,
  { store, connection, slack, metrics, log }: NoticesDeps,
): Promise<Notices> {
  const { tiers } = config;
  const { redis } = store;
  const sealer = new Sealer(config.database?.keySecret ?? '');
  const outgoing = await makeOutlets(config, { store, connect: () => connection, slack, log });
  const { outlets, mail } = outgoing;
  const stopDigests = mail === null ? async () => {} : startDigests(mail.deps);
  const persons = startPersons({
    ...{ store, connection, log, slack: outgoing.slack, push: outgoing.push, mailer: mail?.mailer ?? null },
    onSent: (channel, result) => metrics?.countNotice(`person_${channel}`, result),
  });
  for (const kind of Object.keys(outlets)) for (const result of RESULTS) metrics?.countNotice(kind, result, 0);
  const readersOf = async (tenant: string): Promise<Reader[] | null> => {
    const of = await readSubscriptions(store, tenant);
    if (of === null || of.isSuspended) return null;
    const within = withinLimit(of, tiers);
    const rows = of.rows.filter(({ id }) => within.has(id));
    const opened = await Promise.all(rows.map((row) => openSubscription(sealer, tenant, row)));
    const readers = opened
      .filter((one) => one !== null)
      .map((one) => readerOf(one, outlets[one.kind] ?? NOT_CONFIGURED));
    return [...readers, ...(await persons.readersOf(tenant))];
  };
  const deliveries = new Deliveries({
    redis,
    readersOf,
    disable: (tenant, id, reason) => disable(store, tenant, id, reason),
    // Personal notices count once they are sent.
    onAttempt: (kind, result) => (kind === PERSONS ? undefined : metrics?.countNotice(kind, result)),
    log,
  });
  const stopHints = takeHints(connection, deliveries, log);
  const tenantsOf = (after: string, limit: number) => tenantsWithNotices(store.database, after, limit);
  return {
    job: { name: 'notices', everyMs: LOOK_EVERY_MS, run: () => lookAtAll(redis, tenantsOf, deliveries) },
    wake: deliveries.wake,
    close: async () => {
      await Promise.all([stopHints(), deliveries.close()]);
      await Promise.all([persons.close(), stopDigests()]);
      await outgoing.close();
    },
  };
}

/** Disables a subscription, unless somebody was faster. */
async function disable(store: Store, tenant: string, id: string, reason: DisabledReason): Promise<void> {
  await disableSubscription(store, tenant, id, reason, BY_SERVICE).catch((error: unknown) => {
    if (!(error instanceof HoldfastError && error.code === 'unknown')) throw error;
  });
  await dropCursor(store.redis, tenant, id);
}

const BY_SERVICE = { actor: 'service', address: null };

function readerOf(subscription: OpenedSubscription, { send, everyMs, maxEvents }: Outlet): Reader {
  const { id, tenant, kind, types, prefix } = subscription;
  return {
    id,
    tenant,
    kind,
    types,
    prefix,
    everyMs,
    maxEvents,
    send: (batch, signal) => send(subscription, batch, signal),
  };
}

/** Stands for the outlet of a kind that this service is not configured for. */
const NOT_CONFIGURED: Outlet = {
  everyMs: 1000,
  maxEvents: 100,
  send: async () => ({ status: null, fault: 'This service is not configured to send messages of this kind.' }),
};
