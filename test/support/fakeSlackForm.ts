/**
 * The form of messages in Slack: Block Kit and mrkdwn, with their limits. Only what the service uses is allowed.
 */
import { z } from 'zod';

/** Text of mrkdwn: `<`, `>` and `&` stand only in links, times and escapes. Mentions are not ours to make. */
const ESCAPED = /^(?:[^<>&]|&(?:amp|lt|gt);|<!date\^\d+\^[^|<>]+\|[^|<>]+>|<https?:\/\/[^|<> ]+(?:\|[^|<>]+)?>)*$/;

const mrkdwn = (max: number) => z.string().min(1).max(max).regex(ESCAPED, 'has characters that are not escaped');
const plain = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(max), emoji: z.boolean().optional() });

const Button = z.strictObject({
  type: z.literal('button'),
  action_id: z.string().min(1).max(255),
  text: plain(75),
  value: z.string().min(1).max(2000).optional(),
  url: z.url().max(3000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
});

const block_id = z.string().min(1).max(255).optional();
/** Without `verbatim`, Slack makes links and mentions of what looks like them. */
const text = z.strictObject({ type: z.literal('mrkdwn'), text: mrkdwn(3000), verbatim: z.literal(true) });

const Block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('section'), block_id, text }),
  z.strictObject({ type: z.literal('context'), block_id, elements: z.array(text).min(1).max(10) }),
  z.strictObject({ type: z.literal('divider'), block_id }),
  z.strictObject({ type: z.literal('header'), block_id, text: plain(150) }),
  z.strictObject({
    type: z.literal('actions'),
    block_id,
    elements: z
      .array(Button)
      .min(1)
      .max(25)
      .refine((all) => new Set(all.map((one) => one.action_id)).size === all.length, 'has an action_id twice'),
  }),
]);

const Message = z.strictObject({
  text: mrkdwn(40_000),
  blocks: z.array(Block).max(50).optional(),
  response_type: z.enum(['ephemeral', 'in_channel']).optional(),
  replace_original: z.boolean().optional(),
  delete_original: z.boolean().optional(),
  unfurl_links: z.boolean().optional(),
  unfurl_media: z.boolean().optional(),
  mrkdwn: z.boolean().optional(),
});

export type SlackMessage = z.infer<typeof Message> & Readonly<Record<string, unknown>>;

/** Returns why Slack would refuse a message; null: it would not */
export function formFault(message: object): string | null {
  const { error } = Message.safeParse(message);
  return error === undefined ? null : `invalid_blocks: ${z.prettifyError(error)}`;
}
