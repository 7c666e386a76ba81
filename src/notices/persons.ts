/**
 * Tells members what they have chosen to be told (docs/specification.md#personal-notices). There is no order.
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { PERSON_PREFIX } from '../domain/names.ts';
import { EVENTS_OF, PERSONS } from '../domain/personalNotices.ts';
import { requesterOf } from '../engine/tenant/signIns.ts';
import { PERSONAL_NOTICES_PREFIX } from '../redis/keys.ts';
import { send } from '../redis/send.ts';
import { type Chooser, listChoosers, readSentNotices } from '../store/choosers.ts';
import { listDevices } from '../store/pushDevices.ts';
import { type Notice, noticesOf } from './personal.ts';
import { type JobsDeps, type Sent, startPersonalJobs } from './personalJobs.ts';
import type { NoticeEvent, Reader } from './sending.ts';

export interface Persons {
  /**
   * Returns the reader of a tenant's outbox that tells its members; none if nobody has chosen anything
   * @throws HoldfastError unavailable
   */
  readersOf(tenant: string): Promise<readonly Reader[]>;
  /** Makes the messages of events. Events that come again make none again. @throws HoldfastError unavailable */
  tell(tenant: string, events: readonly NoticeEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Maximum number of events that are looked at at a time. */
const MAX_EVENTS = 100;
/** Maximum number of messages that a tenant makes in a minute: jobs are kept, and tenants share the workers. */
const MAX_A_MINUTE = 600;

export function startPersons(deps: JobsDeps): Persons {
  const jobs = startPersonalJobs(deps);
  const limiter = new RateLimiterRedis({
    storeClient: deps.store.redis,
    keyPrefix: PERSONAL_NOTICES_PREFIX,
    points: MAX_A_MINUTE,
    duration: 60,
  });
  const tell: Persons['tell'] = async (tenant, events) => {
    const wanted = await recipients(deps, tenant, events);
    if (wanted.length === 0) return;
    const room = await roomFor(limiter, tenant, wanted.length);
    await jobs.add(wanted.slice(0, room));
    for (const { channel } of wanted.slice(room)) deps.onSent(channel, 'dropped');
  };
  return {
    tell,
    readersOf: async (tenant) => {
      if ((await readSentNotices(deps.store, tenant)).length === 0) return [];
      const tellAll: Reader['send'] = async ({ events }) => {
        await tell(tenant, events);
        return { status: 200, fault: null };
      };
      // Readers are kept for a while. Those who choose something meanwhile must not miss it.
      const types = Object.values(EVENTS_OF).flat();
      return [
        {
          ...{ id: PERSONS, tenant, kind: PERSONS, types, prefix: '' },
          everyMs: 0,
          maxEvents: MAX_EVENTS,
          send: tellAll,
        },
      ];
    },
    close: jobs.close,
  };
}

/** Returns how many of a number of messages a tenant may still make in this minute. */
async function roomFor(limiter: RateLimiterRedis, tenant: string, number: number): Promise<number> {
  try {
    await send(() => limiter.consume(tenant, number));
    return number;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return Math.max(0, MAX_A_MINUTE - (error.consumedPoints - number));
  }
}

/** Finds who has chosen to be told what happened to their reservations, and where. */
async function recipients(deps: JobsDeps, tenant: string, events: readonly NoticeEvent[]): Promise<readonly Sent[]> {
  const notices = events.flatMap(noticesOf).filter(({ untilMs }) => untilMs > Date.now());
  if (notices.length === 0) return [];
  const whats = [...new Set(notices.map(({ notice }) => notice))];
  const names = notices.map(({ requester }) => requester.slice(PERSON_PREFIX.length));
  const choosers = await listChoosers(deps.store, tenant, whats, [...new Set(names)]);
  const sent = notices.flatMap((notice) =>
    choosers
      .filter((chooser) => chooser.what === notice.notice && requesterOf(chooser) === notice.requester)
      .filter((chooser) => !isOwnDoing(chooser, notice))
      .flatMap(({ id: userId, channels }) =>
        channels.flatMap((channel) => (channel === 'browser' ? [] : { notice, userId, channel })),
      ),
  );
  return toDevices(deps, tenant, sent);
}

/** Makes a message to each device of each that is pushed. */
async function toDevices(deps: JobsDeps, tenant: string, sent: readonly Sent[]): Promise<readonly Sent[]> {
  const pushed = sent.flatMap(({ channel, userId }) => (channel === 'push' ? userId : []));
  if (pushed.length === 0) return sent;
  const devices = await listDevices(deps.store, tenant, [...new Set(pushed)]);
  return sent.flatMap((one) =>
    one.channel === 'push'
      ? devices.filter(({ userId }) => userId === one.userId).map(({ deviceId }) => ({ ...one, deviceId }))
      : one,
  );
}

/** Returns true if people have taken something away from themselves, also as administrators. */
const isOwnDoing = ({ email, subject }: Chooser, { actor }: Notice): boolean =>
  actor !== null && actor.replace(/^(?:person|admin):/, '') === (email ?? subject);
