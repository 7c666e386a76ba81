/**
 * Tells members what they have chosen to be told (docs/specification.md#personal-notices): one BullMQ job for each
 * message. There is no order, and a message is tried for ten minutes, or until it is of no use.
 */
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { z } from 'zod';
import { PERSON_PREFIX } from '../domain/names.ts';
import { EVENTS_OF, PERSONS } from '../domain/personalNotices.ts';
import { requesterOf } from '../engine/tenant/signIns.ts';
import type { RedisClient } from '../redis/client.ts';
import { JOBS_PREFIX, PERSONAL_NOTICES_PREFIX } from '../redis/keys.ts';
import { isAway, send } from '../redis/send.ts';
import { type Chooser, listChoosers, readSentNotices } from '../store/choosers.ts';
import { readRecipient } from '../store/noticeChoices.ts';
import type { Store } from '../store/records.ts';
import type { Mailer } from './mail/mailer.ts';
import { MailRefused } from './mail/refused.ts';
import { mailOf, Notice, noticeOf, pathOf, wordsOf } from './personal.ts';
import { ATTEMPT_MS, type NoticeEvent, type Outcome, type Reader } from './sending.ts';
import { type SlackDeps, slackLink, toPerson } from './slack.ts';
import { MRKDWN, PLAIN } from './words.ts';

export interface PersonsDeps {
  readonly store: Store;
  /** For BullMQ alone. */
  readonly connection: RedisClient;
  /** null: this service sends no e-mail */
  readonly mailer: Mailer | null;
  readonly slack: SlackDeps;
  readonly onSent: (channel: Sent['channel'], result: 'delivered' | 'failed' | 'dropped') => void;
  readonly log: Logger;
}

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

const QUEUE = 'personalNotices';
const CONCURRENCY = 10;
/** Maximum number of events that are looked at at a time. */
const MAX_EVENTS = 100;
/** Maximum number of messages that a tenant makes in a minute: jobs are kept, and tenants share the workers. */
const MAX_A_MINUTE = 600;
/** Pauses after failures, in ms: together less than ten minutes. */
const PAUSES_MS = [5, 15, 30, 60, 120, 120, 120, 120].map((seconds) => seconds * 1000);
/** Time for which a job is kept, so that the same event makes none again. */
const KEPT_SECONDS = 900;

const Sent = z.object({ notice: Notice, userId: z.string(), channel: z.enum(['email', 'slack']) });
type Sent = z.infer<typeof Sent>;

export function startPersons(deps: PersonsDeps): Persons {
  const { connection, log } = deps;
  const options = { connection, prefix: JOBS_PREFIX };
  const queue = new Queue(QUEUE, options);
  const worker = new Worker(QUEUE, (job) => sendOne(deps, Sent.parse(job.data)), {
    ...options,
    concurrency: CONCURRENCY,
    settings: { backoffStrategy: (made) => PAUSES_MS[made - 1] ?? -1 },
  });
  const onError = (err: Error) =>
    log[isAway(err) ? 'debug' : 'warn']({ err }, 'the queue of personal notices failed: retrying');
  queue.on('error', onError);
  worker.on('error', onError);
  worker.on('failed', (job, err) => {
    const { data } = Sent.safeParse(job?.data);
    if (data === undefined) return;
    deps.onSent(data.channel, 'failed');
    log.info({ err, channel: data.channel }, 'a personal notice could not be sent');
  });
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
    await queue.addBulk(wanted.slice(0, room).map(jobOf));
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
    close: async () => {
      await worker.close();
      await queue.close();
    },
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

const jobOf = (data: Sent) => ({
  name: QUEUE,
  data,
  opts: {
    jobId: [data.notice.tenant, data.notice.id, data.userId, data.channel].join('_'),
    attempts: PAUSES_MS.length + 1,
    backoff: { type: 'custom' },
    removeOnComplete: { age: KEPT_SECONDS },
    removeOnFail: { age: KEPT_SECONDS },
  },
});

/** Finds who has chosen to be told what happened to their reservations. */
async function recipients(deps: PersonsDeps, tenant: string, events: readonly NoticeEvent[]): Promise<Sent[]> {
  const notices = events.flatMap((event) => noticeOf(event) ?? []).filter(({ untilMs }) => untilMs > Date.now());
  if (notices.length === 0) return [];
  const whats = [...new Set(notices.map(({ notice }) => notice))];
  const names = notices.map(({ requester }) => requester.slice(PERSON_PREFIX.length));
  const choosers = await listChoosers(deps.store, tenant, whats, [...new Set(names)]);
  return notices.flatMap((notice) =>
    choosers
      .filter((chooser) => chooser.what === notice.notice && requesterOf(chooser) === notice.requester)
      .filter((chooser) => !isOwnDoing(chooser, notice))
      .flatMap(({ id: userId, channels }) =>
        channels.flatMap((channel) => (channel === 'browser' ? [] : { notice, userId, channel })),
      ),
  );
}

/** Returns true if people have taken something away from themselves, also as administrators. */
const isOwnDoing = ({ email, subject }: Chooser, { actor }: Notice): boolean =>
  actor !== null && actor.replace(/^(?:person|admin):/, '') === (email ?? subject);

/** Sends a message, if its person still wants it. @throws Error if it has to be tried again */
async function sendOne(deps: PersonsDeps, { notice, userId, channel }: Sent): Promise<void> {
  const recipient = await readRecipient(deps.store, notice.tenant, userId);
  const isWanted = recipient?.choices[notice.notice].includes(channel) ?? false;
  if (recipient === null || !isWanted || notice.untilMs <= Date.now()) return deps.onSent(channel, 'dropped');
  const { email, slack } = recipient;
  if (channel === 'email') {
    if (deps.mailer === null || email === null) return deps.onSent(channel, 'dropped');
    await deps.mailer.send(email, mailOf(notice, userId, PLAIN)).catch(giveUpIfFinal);
  } else {
    if (slack === null) return deps.onSent(channel, 'dropped');
    const text = slackText(deps.slack, notice);
    refuseFault(await toPerson(deps.slack, notice.tenant, slack, text, AbortSignal.timeout(ATTEMPT_MS)));
  }
  deps.onSent(channel, 'delivered');
}

function slackText({ publicUrl }: SlackDeps, notice: Notice): string {
  const { text, label } = wordsOf(notice, MRKDWN);
  const link = publicUrl === undefined ? '' : ` ${slackLink(publicUrl + pathOf(notice), label)}`;
  return `*${notice.tenant}* ${text}.${link}`;
}

function giveUpIfFinal(error: unknown): never {
  if (error instanceof MailRefused && error.isFinal) throw new UnrecoverableError(error.message);
  throw error;
}

function refuseFault({ fault }: Outcome): void {
  if (fault !== null) throw new Error(fault);
}
