/**
 * Messages to Slack: to an incoming webhook, or by the tenant's bot to a channel or a person
 * (docs/specification.md#slack).
 */
import { callSlack, isSlackHook, type SlackSite } from '../outgoing/slack.ts';
import type { Store } from '../store/records.ts';
import { findSlackApp } from '../store/slack.ts';
import { noResponse, postTo } from './posting.ts';
import type { Batch, Outcome, Outlet } from './sending.ts';
import { MRKDWN, sentenceOf, titleOf } from './words.ts';

export interface SlackDeps {
  readonly site: SlackSite;
  readonly store: Pick<Store, 'database'>;
  /** Decrypts the token of a bot. */
  readonly open: (sealed: string) => Promise<string>;
  /** The origin at which people see the service; undefined: messages have no link */
  readonly publicUrl: string | undefined;
}

/** Maximum number of changes that a message lists. */
const MAX_LISTED = 10;
/** Maximum length of the text of a message. A section takes 3,000 characters. */
const MAX_LENGTH = 2800;

export const slackOutlet = (deps: SlackDeps): Outlet => ({
  everyMs: 1000,
  maxEvents: 100,
  send: ({ tenant, target }, batch, signal) => {
    const message = messageOf(textOf(deps, tenant, batch));
    if ('url' in target) return toWebhook(deps.site, target.url, message, signal);
    if ('channel' in target) return byBot(deps, tenant, target.channel, message, signal);
    throw new TypeError('Slack has a URL or a channel');
  },
});

/**
 * Sends a text to an account in Slack by the tenant's bot.
 * @param account the account, and its workspace: that of the tenant's app must be the same
 */
export async function toPerson(
  deps: SlackDeps,
  tenant: string,
  account: { readonly teamId: string; readonly userId: string },
  text: string,
  signal: AbortSignal,
): Promise<Outcome> {
  return byBot(deps, tenant, account.userId, messageOf(text), signal, account.teamId);
}

/** No mentions, no previews: callers choose the names in it. */
const messageOf = (text: string) => ({
  text,
  blocks: [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }],
  unfurl_links: false,
  unfurl_media: false,
});
type Message = ReturnType<typeof messageOf>;

/** A link in Slack. */
export const slackLink = (url: string, label: string): string => `<${url}|${label}>`;

function textOf({ publicUrl }: SlackDeps, tenant: string, { events }: Batch): string {
  const link = publicUrl === undefined ? '' : ` ${slackLink(`${publicUrl}/dashboard/activity`, 'Activity')}`;
  const [first] = events;
  if (first !== undefined && events.length === 1) return `*${tenant}* ${sentenceOf(first, MRKDWN)}.${link}`;
  const lines = [`*${tenant}* ${titleOf(events)}.${link}`];
  let length = 0;
  for (const event of events.slice(0, MAX_LISTED)) {
    const line = `• ${sentenceOf(event, MRKDWN)}`;
    length += line.length;
    if (length > MAX_LENGTH) break;
    lines.push(line);
  }
  const more = events.length + 1 - lines.length;
  return more === 0 ? lines.join('\n') : `${lines.join('\n')}\nand ${more} more`;
}

async function toWebhook(site: SlackSite, url: string, message: Message, signal: AbortSignal): Promise<Outcome> {
  if (!isSlackHook(site, url)) return { status: null, fault: 'The address is not on hooks.slack.com.' };
  const headers = { 'content-type': 'application/json' };
  return postTo(url, { headers, body: JSON.stringify(message), signal, rules: site.rules });
}

async function byBot(
  { site, store, open }: SlackDeps,
  tenant: string,
  channel: string,
  message: Message,
  signal: AbortSignal,
  teamId?: string,
): Promise<Outcome> {
  const app = await findSlackApp(store, tenant);
  if (app === null) return { status: null, fault: 'The tenant has no Slack app.' };
  if (teamId !== undefined && teamId !== app.teamId)
    return { status: null, fault: 'The account is in another workspace than the Slack app.' };
  try {
    const token = await open(app.botToken).catch(() => null);
    if (token === null) return { status: null, fault: 'KEY_SECRET has changed: register the Slack app anew.' };
    const answer = await callSlack(site, 'chat.postMessage', token, { channel, ...message }, signal);
    if (answer.ok) return { status: 200, fault: null };
    const { status, error, retryAfterMs } = answer;
    return { status: statusOf(status, error), retryAfterMs: retryAfterMs ?? 0, fault: `Slack refused: ${error}` };
  } catch (error) {
    return noResponse(error);
  }
}

/** Slack answers with 200 to most calls that fail. */
const statusOf = (status: number, error: string): number | null =>
  error === 'is_archived' ? 410 : status >= 200 && status < 300 ? null : status;
