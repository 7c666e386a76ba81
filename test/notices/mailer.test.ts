/**
 * Messages by e-mail and their limit (docs/specification.md#e-mail), by a real SMTP server.
 */
import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Mailer, type MailerDeps, type Message, makeMailer, startDigests } from '../../src/notices/mail/mailer.ts';
import { MAX_AN_HOUR, MAX_LINES, MAX_OF_SUBSCRIPTIONS } from '../../src/notices/mail/perHour.ts';
import { openTransport } from '../../src/notices/mail/transport.ts';
import { createPatientRedis, type RedisClient } from '../../src/redis/client.ts';
import { JOBS_PREFIX, mailKeys } from '../../src/redis/keys.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { until } from '../support/until.ts';

let server: MailServer;
let redis: RedisClient;
let mailer: Mailer;
let stopDigests: () => Promise<void>;
/** The jobs of digests. */
let digests: Queue;
/** Texts of sources that send no more. */
const ended = new Set<string>();
beforeAll(async () => {
  server = await startMailServer();
  redis = createPatientRedis(inject('redisUrl'));
  digests = new Queue('mailDigests', { connection: redis, prefix: JOBS_PREFIX });
  const deps: MailerDeps = {
    redis,
    connection: createPatientRedis(inject('redisUrl')),
    transport: openTransport({ smtpUrl: server.url, from: 'holdfast@acme.example' }),
    publicUrl: 'https://holdfast.example',
    unsubscribeUrl: async (address, sources) => `https://holdfast.example/u?${address}&${JSON.stringify(sources)}`,
    isWanted: async (_, source) => !ended.has(JSON.stringify(source)),
    log: createLogger('silent'),
  };
  mailer = makeMailer(deps);
  stopDigests = startDigests(deps);
});
afterAll(async () => {
  await stopDigests();
  await mailer.close();
  await digests.close();
  redis.disconnect();
  await server.stop();
});

let address: string;
beforeEach(() => {
  address = `${randomUUID()}@id.example`;
});

const acme = { tenant: 'acme', userId: 'u1', notice: 'TURN' } as const;
const message = (line = 'staging is free', more: Partial<Message> = {}): Message => ({
  source: acme,
  subject: `[acme] ${line}`,
  lines: [line],
  link: { label: 'See it', path: '/dashboard/notice?tenant=acme' },
  reason: 'You chose this.',
  untilMs: null,
  ...more,
});

/** Lets an hour pass for the places of the address, one at a time or all. */
const forget = (count = MAX_AN_HOUR) => redis.zpopmin(mailKeys(address).sent, count);
/** Uses up the hour of the address. */
async function useUp(): Promise<void> {
  const { sent } = mailKeys(address);
  await redis.zadd(sent, ...Array.from({ length: MAX_AN_HOUR }, () => [Date.now(), randomUUID()]).flat());
}
/** Makes the digest's job due. */
async function promote(): Promise<void> {
  const id = await redis.get(`{bull}:mailDigests:de:${address}`);
  await (await digests.getJob(id ?? ''))?.promote();
}
const isDelayed = async () => (await digests.getDelayed()).some(({ data }) => data.address === address);

describe('a message', () => {
  test('is plain text with one link, and says how to unsubscribe by one click', async () => {
    await mailer.send(address, message('Grüße: staging is free'));
    const [got] = await server.messagesOf(address, 1);
    expect(got?.text.trimEnd()).toBe(
      'Grüße: staging is free.\n\nSee it: https://holdfast.example/dashboard/notice?tenant=acme\n\n-- \nYou chose this.',
    );
    expect(got?.from).toBe('holdfast@acme.example');
    const headers = Object.fromEntries(got?.headers ?? []);
    expect(headers).toMatchObject({
      subject: '[acme] Grüße: staging is free',
      to: address,
      'list-unsubscribe': `<https://holdfast.example/u?${address}&${JSON.stringify([acme])}>`,
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      'auto-submitted': 'auto-generated',
    });
    expect(headers['content-type']).toMatch(/^text\/plain/);
  });

  test('cannot add a header, whatever its subject is', async () => {
    await mailer.send(address, message('a\r\nBcc: other@id.example'));
    const [got] = await server.messagesOf(address, 1);
    expect(got?.to).toEqual([address]);
    expect(got?.headers.has('bcc')).toBe(false);
  });

  test('that the server refuses takes no place of the hour, and its status is told', async () => {
    server.refused.set(address, 550);
    await expect(mailer.send(address, message())).rejects.toMatchObject({ status: 550 });
    expect(await redis.zcard(mailKeys(address).sent)).toBe(0);
  });
});

describe('an address gets 30 messages an hour', () => {
  test('of all tenants together, in whatever case it is written, and the rest in a digest', async () => {
    const other = { tenant: 'other', subscription: 's1' };
    for (let i = 0; i < MAX_AN_HOUR; i++) await mailer.send(i % 2 ? address : address.toUpperCase(), message());
    await mailer.send(address, message('the next'));
    await mailer.send(address, message('the last', { source: other }));
    expect(server.received.filter(({ to }) => to[0]?.toLowerCase() === address)).toHaveLength(MAX_AN_HOUR);
    await forget();
    await promote();
    const digest = (await server.messagesOf(address, MAX_AN_HOUR / 2 + 1)).at(-1);
    expect(digest?.headers.get('subject')).toBe('2 notices from Holdfast');
    expect(digest?.text).toContain('[acme] the next.\n[other] the last.\n');
    expect(digest?.headers.get('list-unsubscribe')).toContain(JSON.stringify([acme, other]));
    await mailer.send(address, message('again alone'));
    expect((await server.messagesOf(address, MAX_AN_HOUR / 2 + 2)).at(-1)?.text).toContain('again alone.');
  });

  test('and a digest of many sources says how to end as many as a line of its header has room for', async () => {
    await useUp();
    const sources = Array.from({ length: 12 }, () => ({ tenant: 't'.repeat(40), subscription: randomUUID() }));
    for (const source of [acme, { ...acme, notice: 'TAKEN' as const }, ...sources])
      await mailer.send(address, message('x', { source }));
    await forget();
    await promote();
    const [digest] = await server.messagesOf(address, 1);
    const url = digest?.headers.get('list-unsubscribe') ?? '';
    expect(url.match(/"acme"/g)).toHaveLength(1);
    expect(url).toContain(sources[3]?.subscription);
    expect(url.length).toBeLessThan(998 - 'List-Unsubscribe: '.length);
  });

  test('and a digest only once one of them is an hour old', async () => {
    await useUp();
    await mailer.send(address, message());
    await promote();
    await until('it is put off', isDelayed);
    expect(server.received.filter(({ to }) => to.includes(address))).toEqual([]);
  });

  test('of which those of subscriptions take 20: personal ones cannot wait', async () => {
    const team = { source: { tenant: 'team', subscription: 's1' } };
    for (let i = 0; i <= MAX_OF_SUBSCRIPTIONS; i++) await mailer.send(address, message(`change ${i}`, team));
    await mailer.send(address, message('it is your turn'));
    const got = await server.messagesOf(address, MAX_OF_SUBSCRIPTIONS + 1);
    expect(got.at(-1)?.text).toContain('it is your turn.');
    expect(got.map(({ text }) => text).join('')).not.toContain(`change ${MAX_OF_SUBSCRIPTIONS}.`);
  });

  test('messages of subscriptions that follow join the digest, though a place is free by then', async () => {
    const source = { tenant: 'acme', subscription: 's1' };
    await useUp();
    await mailer.send(address, message('one', { source }));
    await forget(MAX_AN_HOUR - MAX_OF_SUBSCRIPTIONS + 2);
    await mailer.send(address, message('two', { source }));
    await promote();
    const [digest] = await server.messagesOf(address, 1);
    expect(digest?.text).toContain('[acme] one.\n[acme] two.\n');
  });

  test('a digest leaves out what is of no use any more, and what its reader has ended', async () => {
    const gone = { tenant: 'gone', userId: 'u2', notice: 'TURN' } as const;
    await useUp();
    await mailer.send(address, message('too late', { untilMs: Date.now() - 1 }));
    await mailer.send(address, message('unsubscribed', { source: gone }));
    await mailer.send(address, message('kept'));
    ended.add(JSON.stringify(gone));
    await forget();
    await promote();
    const [digest] = await server.messagesOf(address, 1);
    expect(digest?.text).toContain('[acme] kept.\n\n');
    expect(digest?.text).not.toContain('too late');
    expect(digest?.text).not.toContain('unsubscribed');
    expect(digest?.headers.get('subject')).toBe('1 notice from Holdfast');
  });

  test('a digest has at most 100 lines, and counts the older ones', async () => {
    await useUp();
    const lines = Array.from({ length: MAX_LINES + 20 }, (_, i) => `line ${i}`);
    await mailer.send(address, message('many', { lines }));
    await forget();
    await promote();
    const [digest] = await server.messagesOf(address, 1);
    expect(digest?.headers.get('subject')).toBe('120 notices from Holdfast');
    expect(digest?.text.startsWith('[acme] line 20.\n')).toBe(true);
    expect(digest?.text).toContain('[acme] line 119.\nAnd 20 older ones.\n');
  });
});
