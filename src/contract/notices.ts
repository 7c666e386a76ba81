/**
 * A tenant's subscriptions to its events: webhooks, Slack and e-mail (docs/specification.md#subscriptions).
 */

import { z } from 'zod';
import { EVENT_TYPES } from '../domain/eventTypes.ts';
import {
  ALL_TYPES,
  DEFAULT_TYPES,
  DISABLED_REASONS,
  SUBSCRIPTION_KINDS,
  targetFault,
  targetOf,
} from '../domain/notices.ts';
import { MAX_LABEL_LENGTH } from '../domain/tenants.ts';
import { item, must, name, time } from './fields.ts';
import { prefix as anyPrefix } from './keys.ts';

const MAX_URL_LENGTH = 2000;
const MAX_ADDRESSES = 10;
const MAX_ADDRESS_LENGTH = 320;

const kindRule = `must be one of ${SUBSCRIPTION_KINDS.join(', ')}`;
const kind = z.enum(SUBSCRIPTION_KINDS, kindRule).meta({ description: 'What the events are sent by.' });

const label = name(MAX_LABEL_LENGTH).meta({ description: 'Names the subscription for people.', example: 'deployer' });

const url = z
  .string({ error: must('a string') })
  .max(MAX_URL_LENGTH, `must be at most ${MAX_URL_LENGTH} characters long`)
  .meta({
    description:
      'Of a webhook, the https address that gets the events. Of Slack, the URL of an incoming webhook. Responses have its host only.',
    example: 'https://hooks.example.com/holdfast',
  });

const channel = z
  .string({ error: must('a string') })
  .regex(/^(?:#[^\s#@,]{1,80}|[CG][A-Z0-9]{5,30})$/, 'must be the id or the #name of a channel in Slack')
  .meta({
    description: 'Of Slack, in place of `url`: the channel that the bot of the tenant’s app writes to.',
    example: '#lab',
  });

const addressesRule = `an array of 1 to ${MAX_ADDRESSES} e-mail addresses`;
const addresses = z
  .array(z.email(`must be ${addressesRule}`).max(MAX_ADDRESS_LENGTH, `must be ${addressesRule}`), {
    error: must(addressesRule),
  })
  .min(1, `must be ${addressesRule}`)
  .max(MAX_ADDRESSES, `must be ${addressesRule}`)
  .transform((given) => [...new Set(given.map((address) => address.toLowerCase()))])
  .meta({ description: 'Of e-mail: verified addresses of members.', example: ['ann@example.com'] });

const typesRule = `["*"], or an array of one or more of ${EVENT_TYPES.join(', ')}`;
const ALL = [ALL_TYPES, ...EVENT_TYPES] as const;
const types = z
  .array(z.enum(ALL, `must be ${typesRule}`), { error: must(typesRule) })
  .min(1, `must be ${typesRule}`)
  .refine((asked) => asked.length === 1 || !asked.includes(ALL_TYPES), `must be ${typesRule}`)
  .transform((asked) => ALL.filter((type) => asked.includes(type)))
  .meta({
    description: `Types of events. \`["*"]\`: all, also future ones. Default of a webhook: ${DEFAULT_TYPES.webhook.join(', ')}; of others: ${DEFAULT_TYPES.slack.join(', ')}.`,
    example: ['RESERVED', 'UNRESERVED'],
  });

const prefix = anyPrefix.meta({
  description:
    'Only events whose `resource` starts with this. A transaction comes whole if one of its changes does. Events without a resource always come. Empty: all.',
  example: 'lab/',
});

const enabled = z.boolean('must be true or false');

export const NewSubscription = item({
  id: z
    .uuid({ error: must('a UUID') })
    .optional()
    .meta({ description: 'An id of your choice: repeating the call with it makes no second subscription.' }),
  kind,
  label,
  url: url.optional(),
  channel: channel.optional(),
  addresses: addresses.optional(),
  types: types.optional(),
  prefix: prefix.default(''),
  enabled: enabled.default(true).meta({ description: 'False: nothing is sent.' }),
})
  .superRefine((asked, context) => {
    const fault = targetFault(asked.kind, asked);
    if (fault !== null) context.addIssue({ code: 'custom', path: [fault[0]], message: fault[1] });
    else if (targetOf(asked) === null)
      context.addIssue({
        code: 'custom',
        path: [asked.kind === 'email' ? 'addresses' : 'url'],
        message: 'is required',
      });
  })
  .meta({ id: 'SubscriptionToMake' });
export type NewSubscription = z.output<typeof NewSubscription>;

/** Fields that are left out stay as they are. */
export const SubscriptionChange = item({
  label: label.optional(),
  url: url.optional(),
  channel: channel.optional(),
  addresses: addresses.optional(),
  types: types.optional(),
  prefix: prefix.optional(),
  enabled: enabled.optional().meta({
    description:
      'False: what was not sent yet is dropped. True: a `GAP` tells what was dropped, and events come from now on.',
  }),
}).meta({ id: 'SubscriptionChange' });
export type SubscriptionChange = z.output<typeof SubscriptionChange>;

const subscription = {
  id: z.uuid().meta({ description: 'Names the subscription in other calls.' }),
  kind,
  label: z.string().meta({ description: 'Names the subscription for people.' }),
  host: z.string().nullable().meta({ description: 'The host of its URL. Null: it has none.' }),
  channel: z.string().nullable().meta({ description: 'The channel in Slack. Null: it has none.' }),
  addresses: z.array(z.string()).nullable().meta({ description: 'The e-mail addresses. Null: it has none.' }),
  types: z.array(z.string()).meta({ description: 'Types of events. `["*"]`: all, also future ones.' }),
  prefix: z.string().meta({ description: 'Only events whose `resource` starts with this. Empty: all.' }),
  enabled: z.boolean().meta({ description: 'False: nothing is sent.' }),
  stoppedBy: z
    .enum([...DISABLED_REASONS, 'LIMIT', 'UNREADABLE'])
    .nullable()
    .meta({
      description:
        'Why the service sends nothing. FAILED: three days of failures. GONE: the receiver answered 410. Both disable it. LIMIT: the tier allows fewer, and this is one of the newest. UNREADABLE: the secret of the service has changed, so set its address and its secret anew. Null: the service has not stopped it.',
    }),
  createdBy: z.string().meta({ description: 'Who made it, as in the audit trail.', example: 'person:me@example.com' }),
  createdAt: time.meta({ description: 'When it was made.' }),
  changedAt: time.meta({ description: 'When it was last changed.' }),
  rotatedAt: time.nullable().meta({ description: 'When its secret was last replaced. Null: never.' }),
};

export const Subscription = z.object(subscription).meta({ id: 'Subscription' });

/** A subscription right after its secret was made: the only response with it. */
export const SubscriptionWithSecret = z
  .object({
    ...subscription,
    secret: z.string().nullable().meta({
      description: 'The secret that signs. It is not shown again. Null: only webhooks have one.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    }),
  })
  .meta({ id: 'NewSubscription' });

export const SubscriptionParams = z.object({
  id: z.uuid('must be the id of a subscription').meta({ description: 'The id of the subscription.' }),
});

export const DeletedSubscription = z
  .object({ deleted: z.uuid().meta({ description: 'The id of the subscription.' }) })
  .meta({ id: 'DeletedSubscription' });

const result = {
  status: z.int().nullable().meta({ description: 'The status of the response. Null: there was none.', example: 204 }),
  fault: z.string().nullable().meta({ description: 'Why it failed. Null: it succeeded.' }),
  durationMs: z.int().meta({ description: 'How long it took, in milliseconds.' }),
};

export const TestResult = z.object(result).meta({ id: 'TestResult' });

export const Deliveries = z
  .array(
    z.object({
      at: time.meta({ description: 'When the attempt began.' }),
      webhookId: z.string().meta({ description: 'The `webhook-id`: the same in each attempt of a batch.' }),
      attempt: z.int().meta({ description: 'Counts the attempts of the batch: 1 for the first.' }),
      events: z.int().meta({ description: 'How many events the batch has. 0: a test.' }),
      ...result,
    }),
  )
  .meta({ id: 'Deliveries' });
