/**
 * The Slack app of a tenant (docs/specification.md#reserving-from-slack).
 */
import { z } from 'zod';
import { item, must, time } from './fields.ts';

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
