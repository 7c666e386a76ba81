/**
 * Sends messages to people by e-mail: at most 30 an hour to an address, of all tenants together. More wait for a
 * digest, which a BullMQ job sends as soon as the address may get another message (docs/specification.md#e-mail).
 */
import { DelayedError, type Job, Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { RedisClient } from '../../redis/client.ts';
import { JOBS_PREFIX } from '../../redis/keys.ts';
import { isAway } from '../../redis/send.ts';
import { pauseMs } from '../retries.ts';
import { addLines, finishDigest, MAX_AN_HOUR, takeLines, takePlace, type Waiting } from './perHour.ts';
import { MailRefused } from './refused.ts';
import { MailSource } from './source.ts';
import type { Mail, Transport } from './transport.ts';

/** A message to an address. */
export interface Message {
  /** What a click on "unsubscribe" ends. */
  readonly source: MailSource;
  readonly subject: string;
  /** Sentences. A digest has those of several messages. */
  readonly lines: readonly string[];
  /** What the link is for, and its path. */
  readonly link: { readonly label: string; readonly path: string };
  /** Why the person gets it. */
  readonly reason: string;
  /** When it is of no use any more, in ms since 1970 UTC; null: never */
  readonly untilMs: number | null;
}

export interface MailerDeps {
  readonly redis: RedisClient;
  /** For BullMQ alone. */
  readonly connection: RedisClient;
  readonly transport: Transport;
  /** The origin at which people see the service. */
  readonly publicUrl: string;
  /** Makes the address at which such e-mail is ended. */
  readonly unsubscribeUrl: (address: string, sources: readonly MailSource[]) => Promise<string>;
  /** Returns true if an address still gets messages of a source. */
  readonly isWanted: (address: string, source: MailSource) => Promise<boolean>;
  readonly log: Logger;
}

const DIGESTS = 'mailDigests';
const CONCURRENCY = 5;
/** Length of the address by which one click on "unsubscribe" ends e-mail: a line of a header has at most 998. */
const MAX_URL_LENGTH = 900;
/** Attempts of a digest, within three days. */
const ATTEMPTS = 40;

const Digest = z.object({ address: z.string() });

/** A line that waits for a digest. */
const Line = z.object({ text: z.string(), source: MailSource, untilMs: z.number().nullable() });
type Line = z.infer<typeof Line>;

export interface Mailer {
  /**
   * Sends a message, or keeps its lines for the digest of the address.
   * @throws MailRefused; another error if no message can be sent
   */
  send(address: string, message: Message): Promise<void>;
  close(): Promise<void>;
}

/** Makes a mailer. Digests are sent where startDigests() was called. */
export function makeMailer(deps: MailerDeps): Mailer {
  const { redis, connection, transport, log } = deps;
  const queue = new Queue(DIGESTS, { connection, prefix: JOBS_PREFIX });
  queue.on('error', onError(log));
  return {
    send: async (address, message) => {
      const place = await takePlace(redis, address, 'userId' in message.source ? 'personal' : 'subscription');
      if ('inMs' in place) {
        const lines = message.lines.map((text) => lineOf(message, text));
        await addLines(redis, address, lines);
        return planDigest(queue, address, place.inMs);
      }
      const { subject, source } = message;
      const unsubscribeUrl = await deps.unsubscribeUrl(address, [source]);
      await transport
        .send({ to: address, subject, text: textOf(deps, message), unsubscribeUrl })
        .catch(async (error: unknown) => {
          await place.giveBack();
          throw error;
        });
    },
    close: () => queue.close(),
  };
}

/** Sends digests at this instance, too. @returns a function that stops it */
export function startDigests(deps: MailerDeps): () => Promise<void> {
  const { connection, log } = deps;
  const options = { connection, prefix: JOBS_PREFIX };
  const queue = new Queue(DIGESTS, options);
  const worker = new Worker(DIGESTS, (job, token) => sendDigest(deps, queue, job, token), {
    ...options,
    concurrency: CONCURRENCY,
    settings: { backoffStrategy: (made) => pauseMs(made) },
  });
  queue.on('error', onError(log));
  worker.on('error', onError(log));
  worker.on('failed', (_, err) => log.warn({ err }, 'a digest could not be sent'));
  return async () => {
    await worker.close();
    await queue.close();
  };
}

const onError = (log: Logger) => (err: Error) =>
  log[isAway(err) ? 'debug' : 'warn']({ err }, 'the queue of digests failed: retrying');

const lineOf = ({ source, untilMs }: Message, text: string): string =>
  JSON.stringify({ text, source, untilMs } satisfies Line);

const textOf = ({ publicUrl }: MailerDeps, { lines, link, reason }: Omit<Message, 'subject' | 'source' | 'untilMs'>) =>
  `${lines.map((line) => `${line}.`).join('\n')}\n\n${link.label}: ${publicUrl}${link.path}\n\n-- \n${reason}\n`;

/** Makes the job of a digest, unless there is one. */
async function planDigest(queue: Queue, address: string, inMs: number): Promise<void> {
  await queue.add(
    DIGESTS,
    { address },
    {
      delay: inMs,
      deduplication: { id: address },
      attempts: ATTEMPTS,
      backoff: { type: 'custom' },
      removeOnComplete: true,
      removeOnFail: true,
    },
  );
}

async function sendDigest(deps: MailerDeps, queue: Queue, job: Job, token: string | undefined): Promise<void> {
  const { address } = Digest.parse(job.data);
  // Lines that come from now on make another job.
  await queue.removeDeduplicationKey(address);
  const waiting = await takeLines(deps.redis, address);
  if (waiting === null) return;
  const lines = await wantedLines(deps, address, waiting);
  if (lines.length > 0) {
    const place = await takePlace(deps.redis, address, 'digest');
    if ('inMs' in place) {
      await job.moveToDelayed(Date.now() + place.inMs, token);
      throw new DelayedError();
    }
    await deps.transport.send(await digestOf(deps, address, waiting, lines)).catch(async (error) => {
      await place.giveBack();
      if (!(error instanceof MailRefused && error.isFinal)) throw error;
      deps.log.info({ status: error.status }, 'the mail server refused a digest');
    });
  }
  await finishDigest(deps.redis, address);
}

/** Returns the lines that are still of use, and whose sources still send to the address. */
async function wantedLines({ isWanted }: MailerDeps, address: string, { lines }: Waiting): Promise<readonly Line[]> {
  const parsed = lines.map((line) => Line.parse(JSON.parse(line)));
  const useful = parsed.filter(({ untilMs }) => untilMs === null || untilMs > Date.now());
  const sources = sourcesOf(useful);
  const wanted = new Set<string>();
  for (const source of sources) if (await isWanted(address, source)) wanted.add(JSON.stringify(source));
  return useful.filter(({ source }) => wanted.has(JSON.stringify(source)));
}

const sourcesOf = (lines: readonly Line[]): readonly MailSource[] => [
  ...new Map(lines.map(({ source }) => [JSON.stringify(source), source])).values(),
];

async function digestOf(
  deps: MailerDeps,
  address: string,
  { count, lines: taken }: Waiting,
  lines: readonly Line[],
): Promise<Mail> {
  const older = count - taken.length;
  const total = lines.length + older;
  const shown = lines.map(({ text, source: { tenant } }) => `[${tenant}] ${text}`);
  const link = { label: 'Dashboard', path: '/dashboard' };
  const reason = `An address gets at most ${MAX_AN_HOUR} messages an hour, and the rest in one message.`;
  return {
    to: address,
    subject: total === 1 ? '1 notice from Holdfast' : `${total} notices from Holdfast`,
    text: textOf(deps, { lines: older > 0 ? [...shown, `And ${older} older ones`] : shown, link, reason }),
    unsubscribeUrl: await unsubscribeUrlOf(deps, address, sourcesOf(lines)),
  };
}

/** Makes the address that ends as many of the sources as it has room for. The next digest is of the others. */
async function unsubscribeUrlOf(
  { unsubscribeUrl }: MailerDeps,
  address: string,
  sources: readonly MailSource[],
): Promise<string> {
  // One personal notice stands for all of its tenant.
  const ofTenant = new Map(sources.map((one) => [`${one.tenant} ${'userId' in one ? '' : one.subscription}`, one]));
  const ends = [...ofTenant.values()];
  let url = await unsubscribeUrl(address, ends.slice(0, 1));
  for (let count = 2; count <= ends.length; count++) {
    const longer = await unsubscribeUrl(address, ends.slice(0, count));
    if (longer.length > MAX_URL_LENGTH) break;
    url = longer;
  }
  return url;
}
