/**
 * A tenant: its tier, limits and usage, its settings (docs/specification.md#operations), and its Slack app
 * (docs/specification.md#reserving-from-slack).
 */
import { z } from 'zod';
import {
  DEFAULT_BOOKINGS_PER_REQUESTER,
  DEFAULT_MAX_BOOKING_SECONDS,
  MAX_BOOKING_SECONDS,
  MAX_BOOKINGS_PER_REQUESTER,
  MIN_BOOKING_SECONDS,
} from '../domain/bookings.ts';
import { DEFAULT_SIZES, type Sizes } from '../domain/maxSizes.ts';
import { MAX_ENDS_SOON_SECONDS } from '../domain/tenants.ts';
import { TIERS } from '../domain/tiers.ts';
import { DEFAULT_PRIORITY, MAX_PRIORITY } from '../domain/waiting.ts';
import { item, must, time } from './fields.ts';

const limit = z.int().nullable().meta({ description: 'Null: unlimited.' });

export const Tenant = z
  .object({
    id: z.string().meta({ description: 'The id of the tenant.' }),
    name: z.string().meta({ description: 'The name of the tenant, for people.' }),
    tier: z.enum(TIERS).meta({ description: 'The tier, which decides the limits.' }),
    limits: z
      .object({
        writesPerMinute: limit,
        readsPerMinute: limit,
        writesPerDay: limit,
        reservations: limit,
        bookings: limit,
        eventConnections: limit,
        apiKeys: limit,
        notices: limit.describe('How many subscriptions to events there may be. Null: unlimited.'),
        definitions: limit,
        bytes: limit.describe('How many bytes the tenant may keep in Redis. Null: unlimited.'),
        auditDays: limit.describe('How long the audit trail is kept, in days. Null: for ever.'),
        historyDays: limit.describe('How long the history is kept, in days. 0: there is none. Null: for ever.'),
        historyEntries: limit.describe('How many entries of the history are kept. Null: all.'),
      })
      .meta({ description: 'The limits of the tier.' }),
    usage: z
      .object({
        writesThisMinute: z.int().meta({ description: 'Writes of this minute.' }),
        writesToday: z.int().meta({ description: 'Writes since midnight UTC.' }),
        reservations: z.int().meta({ description: 'Reservations in force.' }),
        bookings: z.int().meta({ description: 'Bookings that have not ended.' }),
        eventConnections: z.int().meta({ description: 'Open event streams.' }),
        definitions: z.int().meta({ description: 'Registered resources.' }),
        bytes: z.int().meta({ description: 'Bytes that the tenant keeps in Redis, measured at most 1 s ago.' }),
        apiKeys: z.int().meta({ description: 'API keys.' }),
        notices: z.int().meta({ description: 'Subscriptions to events.' }),
      })
      .meta({ description: 'What the tenant uses of them.' }),
  })
  .meta({ id: 'Tenant' });

const requireRegistration = z
  .boolean('must be true or false')
  .meta({ description: 'True if only registered resources can be reserved.' });

const priorityRule = `must be an integer from ${DEFAULT_PRIORITY} to ${MAX_PRIORITY}`;
export const maxPriority = z
  .int(priorityRule)
  .min(DEFAULT_PRIORITY, priorityRule)
  .max(MAX_PRIORITY, priorityRule)
  .meta({ description: 'The highest priority that requests with a key or a session may wait with.', example: 100 });

/** A lease, in seconds, or none. */
const lease = ({ ttlSeconds }: Sizes, description: string, example: number) => {
  const rule = `must be null or an integer from 1 to ${ttlSeconds}`;
  return z.int(rule).min(1, rule).max(ttlSeconds, rule).nullable().meta({ description, example });
};

const bookingSecondsRule = `must be an integer from ${MIN_BOOKING_SECONDS} to ${MAX_BOOKING_SECONDS}`;
const maxBookingSeconds = z
  .int(bookingSecondsRule)
  .min(MIN_BOOKING_SECONDS, bookingSecondsRule)
  .max(MAX_BOOKING_SECONDS, bookingSecondsRule)
  .meta({ description: 'The longest booking, in seconds.', example: DEFAULT_MAX_BOOKING_SECONDS });

const perRequesterRule = `must be an integer from 0 to ${MAX_BOOKINGS_PER_REQUESTER}`;
const bookingsPerRequester = z
  .int(perRequesterRule)
  .min(0, perRequesterRule)
  .max(MAX_BOOKINGS_PER_REQUESTER, perRequesterRule)
  .meta({
    description: 'How many bookings that have not begun a requester may have. It does not bind the right `force`.',
    example: DEFAULT_BOOKINGS_PER_REQUESTER,
  });

const endsSoonRule = `must be an integer from 0 to ${MAX_ENDS_SOON_SECONDS}`;

/** Settings of a tenant. */
const settings = (sizes: Sizes) => ({
  requireRegistration,
  maxPriority,
  defaultTtlSeconds: lease(
    sizes,
    'The lease, in seconds, of reservations whose requests have neither `ttlSeconds` nor `session`. Null: they never expire.',
    300,
  ),
  maxTtlSeconds: lease(
    sizes,
    'The longest lease, in seconds. Reservations must then have one. Null: any lease, or none.',
    3600,
  ),
  requireNote: z.boolean('must be true or false').meta({ description: 'True if reservations must have a note.' }),
  holdersReport: z.boolean('must be true or false').meta({
    description:
      'True if those who hold a slot may say at its release that it is out of service. Else such a slot becomes `dirty`.',
  }),
  endsSoonSeconds: z.int(endsSoonRule).min(0, endsSoonRule).max(MAX_ENDS_SOON_SECONDS, endsSoonRule).meta({
    description: 'How long before a lease ends `ENDS_SOON` is sent, in seconds. 0: never.',
    example: 300,
  }),
  maxBookingSeconds,
  bookingsPerRequester,
});

export const Settings = z.object(settings(DEFAULT_SIZES)).meta({ id: 'Settings' });

/** A setting that is left out stays as it is. */
export const SettingsChange = (sizes: Sizes) => item(settings(sizes)).partial().meta({ id: 'SettingsChange' });
export type SettingsChange = z.output<ReturnType<typeof SettingsChange>>;

const botTokenRule = 'must be the bot token of the app: it begins with xoxb-';
const secretRule = 'must be the signing secret of the app: 16 to 128 letters and digits';

export const NewSlackApp = item({
  botToken: z
    .string({ error: must('a string') })
    .regex(/^xoxb-[A-Za-z0-9-]{8,250}$/, botTokenRule)
    .meta({
      description: 'The bot token of the app. It is encrypted, and never shown.',
      example: 'xoxb-0000000000-token-of-an-example',
    }),
  signingSecret: z
    .string({ error: must('a string') })
    .regex(/^[A-Za-z0-9]{16,128}$/, secretRule)
    .meta({
      description: 'The signing secret of the app, by which its requests are known. Encrypted, too.',
      example: '8f742231b10e8888abcd99yyyzzz85a5',
    }),
}).meta({ id: 'NewSlackApp' });
export type NewSlackApp = z.output<typeof NewSlackApp>;

export const SlackApp = z
  .object({
    teamId: z.string().meta({ description: 'The workspace that Slack says the token is for.', example: 'T061EG9R6' }),
    teamName: z.string().meta({ description: 'Its name.', example: 'Acme' }),
    createdBy: z.string().meta({ description: 'Who registered the app.', example: 'person:ann@acme.example' }),
    createdAt: time.meta({ description: 'When it was registered.' }),
  })
  .meta({ id: 'SlackApp' });
