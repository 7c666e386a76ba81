/**
 * Sends personal notices (docs/specification.md#personal-notices): one BullMQ job for each message. A message is tried
 * for ten minutes, or until it is of no use. Pushes have a queue of their own, since anybody can name a push service
 * that is slow.
 */
import { DelayedError, type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import type { RedisClient } from '../redis/client.ts';
import { JOBS_PREFIX } from '../redis/keys.ts';
import { isAway } from '../redis/send.ts';
import { readRecipient } from '../store/noticeChoices.ts';
import { readDevice, removeDevice } from '../store/pushDevices.ts';
import type { Store } from '../store/records.ts';
import type { Mailer } from './mail/mailer.ts';
import { MailRefused } from './mail/refused.ts';
import { mailOf, Notice, pathOf, wordsOf } from './personal.ts';
import { makePlaces } from './personalPerHour.ts';
import { type PushDeps, toDevice } from './push/device.ts';
import { ATTEMPT_MS, type Outcome } from './sending.ts';
import { type SlackDeps, slackLink, toPerson } from './slack.ts';
import { MRKDWN, PLAIN } from './words.ts';

export interface JobsDeps {
  readonly store: Store;
  /** For BullMQ alone. */
  readonly connection: RedisClient;
  /** null: this service sends no e-mail */
  readonly mailer: Mailer | null;
  readonly slack: SlackDeps;
  /** null: this service pushes nothing */
  readonly push: PushDeps | null;
  readonly onSent: (channel: Sent['channel'], result: 'delivered' | 'failed' | 'dropped') => void;
  readonly log: Logger;
}

/** A message to one person by one channel. */
const Sent = z.object({
  notice: Notice,
  userId: z.string(),
  channel: z.enum(['email', 'slack', 'push']),
  /** Of a push. */
  deviceId: z.string().optional(),
});
export type Sent = z.infer<typeof Sent>;

export interface PersonalJobs {
  /** Has messages sent. Those that were given before are not sent again. */
  add(messages: readonly Sent[]): Promise<void>;
  close(): Promise<void>;
}

const QUEUE = 'personalNotices';
const CONCURRENCY = 10;
const PUSHES = 'pushes';
const PUSHES_AT_A_TIME = 50;
/** Maximum number of pushes of a tenant in flight: its slow receivers delay no other tenant. */
const PUSHES_OF_TENANT = 10;
/** Time after which a push that found no place looks again, in ms. */
const LATER_MS = 5000;
/** Pauses after failures, in ms: together less than ten minutes. */
const PAUSES_MS = [5, 15, 30, 60, 120, 120, 120, 120].map((seconds) => seconds * 1000);
/** Time for which a job is kept, so that the same event makes none again. */
const KEPT_SECONDS = 900;

export function startPersonalJobs(deps: JobsDeps): PersonalJobs {
  const takePlace = makePlaces(deps.store.redis);
  const messages = startQueue(deps, QUEUE, CONCURRENCY, (job) => sendOne(deps, takePlace, Sent.parse(job.data)));
  const inFlight = new Map<string, number>();
  const pushes = startQueue(deps, PUSHES, PUSHES_AT_A_TIME, async (job, token) => {
    const sent = Sent.parse(job.data);
    const { tenant } = sent.notice;
    const others = inFlight.get(tenant) ?? 0;
    if (others >= PUSHES_OF_TENANT) {
      await job.moveToDelayed(Date.now() + LATER_MS, token);
      throw new DelayedError();
    }
    inFlight.set(tenant, others + 1);
    await sendOne(deps, takePlace, sent).finally(() => {
      const left = (inFlight.get(tenant) ?? 1) - 1;
      if (left === 0) inFlight.delete(tenant);
      else inFlight.set(tenant, left);
    });
  });
  const isPush = ({ channel }: Sent) => channel === 'push';
  return {
    add: async (sent) => {
      await messages.add(sent.filter((one) => !isPush(one)));
      await pushes.add(sent.filter(isPush));
    },
    close: async () => void (await Promise.all([messages.close(), pushes.close()])),
  };
}

/** Starts a queue, and takes its jobs. */
function startQueue(
  { connection, onSent, log }: JobsDeps,
  name: string,
  concurrency: number,
  carryOut: (job: Job, token: string | undefined) => Promise<void>,
): PersonalJobs {
  const options = { connection, prefix: JOBS_PREFIX };
  const queue = new Queue(name, options);
  const worker = new Worker(name, carryOut, {
    ...options,
    concurrency,
    settings: { backoffStrategy: (made) => PAUSES_MS[made - 1] ?? -1 },
  });
  const onError = (err: Error) =>
    log[isAway(err) ? 'debug' : 'warn']({ err }, 'the queue of personal notices failed: retrying');
  queue.on('error', onError);
  worker.on('error', onError);
  worker.on('failed', (job, err) => {
    const { data } = Sent.safeParse(job?.data);
    if (data === undefined) return;
    onSent(data.channel, 'failed');
    log.info({ err, channel: data.channel }, 'a personal notice could not be sent');
  });
  return {
    add: async (sent) => void (sent.length > 0 && (await queue.addBulk(sent.map((data) => jobOf(name, data))))),
    close: async () => {
      await worker.close();
      await queue.close();
    },
  };
}

const jobOf = (name: string, data: Sent) => ({
  name,
  data,
  opts: {
    jobId: [data.notice.tenant, data.notice.id, data.userId, data.deviceId ?? data.channel].join('_'),
    attempts: PAUSES_MS.length + 1,
    backoff: { type: 'custom' },
    removeOnComplete: { age: KEPT_SECONDS },
    removeOnFail: { age: KEPT_SECONDS },
  },
});

type TakePlace = ReturnType<typeof makePlaces>;

/** Sends a message, if its person still wants it. @throws Error if it has to be tried again */
async function sendOne(deps: JobsDeps, takePlace: TakePlace, sent: Sent): Promise<void> {
  const { notice, userId, channel } = sent;
  const recipient = await readRecipient(deps.store, notice.tenant, userId);
  const isWanted = recipient?.choices[notice.notice].includes(channel) ?? false;
  if (recipient === null || !isWanted || notice.untilMs <= Date.now()) return deps.onSent(channel, 'dropped');
  const { email, slack } = recipient;
  if (channel === 'email') {
    if (deps.mailer === null || email === null) return deps.onSent(channel, 'dropped');
    await deps.mailer.send(email, mailOf(notice, userId, PLAIN)).catch(giveUpIfFinal);
  } else if (!(await sendInPlace(deps, takePlace, sent, slack))) return deps.onSent(channel, 'dropped');
  deps.onSent(channel, 'delivered');
}

/**
 * Sends a message by Slack or push.
 * @param slack the person's account in Slack; null: it is not linked
 * @returns false if the person has no such account or device, or has got as many messages as an hour may have
 * @throws Error if it has to be tried again
 */
async function sendInPlace(
  deps: JobsDeps,
  takePlace: TakePlace,
  { notice, userId, channel, deviceId }: Sent,
  slack: { readonly teamId: string; readonly userId: string } | null,
): Promise<boolean> {
  const { tenant } = notice;
  const place = await takePlace([tenant, userId, deviceId ?? channel].join(' '));
  if (place === null) return false;
  try {
    if (channel === 'push')
      return deviceId !== undefined && (await pushOne(deps, notice, { userId, deviceId }, place.isLast));
    if (slack === null) return false;
    const text = slackText(deps.slack, notice, place.isLast);
    refuseFault(await toPerson(deps.slack, tenant, slack, text, AbortSignal.timeout(ATTEMPT_MS)));
    return true;
  } catch (error) {
    await place.giveBack();
    throw error;
  }
}

/** Statuses by which a push service says that the browser has ended its subscription. */
const ENDED = [404, 410];

/**
 * Pushes a notice to a device.
 * @returns false if push is not on for it
 * @throws Error if it has to be tried again
 */
async function pushOne(
  { push, store }: JobsDeps,
  notice: Notice,
  device: { readonly userId: string; readonly deviceId: string },
  isLast: boolean,
): Promise<boolean> {
  const sealed = push && (await readDevice(store, notice.tenant, device));
  if (push === null || sealed === null) return false;
  const outcome = await toDevice(push, sealed, notice, isLast).catch((error: unknown) => {
    // KEY_SECRET has changed.
    if (error instanceof HoldfastError) return null;
    throw error;
  });
  if (outcome === null || ENDED.includes(outcome.status ?? 0)) {
    await removeDevice(store, notice.tenant, device);
    return false;
  }
  refuseFault(outcome);
  return true;
}

function slackText({ publicUrl }: SlackDeps, notice: Notice, isLast: boolean): string {
  const { text, label } = wordsOf(notice, MRKDWN, isLast);
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
