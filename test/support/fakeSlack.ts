/**
 * A Slack for tests, which is strict: it checks tokens, the form of messages (fakeSlackForm.ts) and addresses, and
 * signs what it sends, as https://docs.slack.dev describes it. It has the methods that the service calls, incoming
 * webhooks, and the addresses for late answers.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { SlackSite } from '../../src/outgoing/slack.ts';
import { formFault, type SlackMessage } from './fakeSlackForm.ts';

/** The workspace and the app, which one `FakeSlack` has once. */
export const TEAM = { id: 'T061EG9R6', name: 'Acme & Sons', domain: 'acme' };
export const SIGNING_SECRET = '8f742231b10e8888abcd99e0e0f085a5';
export const BOT_TOKEN = 'xoxb-0000000000-token-of-an-example';

/** A message that somebody sees. */
export interface Posted {
  /** By the bot in a channel, an incoming webhook, or a late answer. */
  readonly by: 'bot' | 'webhook' | 'answer';
  /** The channel, or the path that it was posted to. */
  readonly to: string;
  readonly message: SlackMessage;
}

/** What Slack got for a command or a click. */
export interface Reaction {
  readonly status: number;
  readonly text: string;
  /** null: there is none */
  readonly message: SlackMessage | null;
}

/** Who types and clicks. */
export interface SlackPerson {
  readonly id: string;
  readonly name?: string;
  /** By default TEAM's. */
  readonly team?: string;
}

const MAX_ANSWERS = 5;
const ANSWER_MS = 30 * 60_000;

export class FakeSlack {
  /** All messages, the oldest first. */
  readonly posted: Posted[] = [];
  /** Channels and people that the bot can write to. */
  readonly channels = new Set(['C0123456789', '#lab']);
  /** Paths of incoming webhooks. */
  readonly webhooks = new Set(['/services/T061EG9R6/B0123456789/abcdefghijklmnopqrstuvwx']);
  /** The workspace of the bot. */
  team = TEAM;
  /** Answers to all calls, in place of a real one: a status and a Retry-After. */
  refusal: { readonly status: number; readonly retryAfterS?: number } | null = null;
  readonly #answers = new Map<string, { left: number; readonly untilMs: number }>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #waiting: (() => void)[] = [];
  #origin = '';

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.#origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** For WireOptions.slack. */
  get site(): SlackSite {
    const rules = { allowPrivate: true, allowHttp: true };
    return { api: `${this.#origin}/api`, hooks: this.#origin, rules };
  }

  /** The address of an incoming webhook. */
  get webhookUrl(): string {
    return this.#origin + [...this.webhooks][0];
  }

  /** Waits until so many messages were posted. */
  async until(count: number): Promise<readonly Posted[]> {
    while (this.posted.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.posted;
  }

  /** An address for late answers: it can be used 5 times within 30 minutes. */
  answerUrl(): string {
    const path = `/commands/${TEAM.id}/${randomBytes(6).toString('hex')}/${randomBytes(12).toString('base64url')}`;
    this.#answers.set(path, { left: MAX_ANSWERS, untilMs: Date.now() + ANSWER_MS });
    return this.#origin + path;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const [status, answer] = this.#answer(request, body);
    const isText = typeof answer === 'string';
    const after = this.refusal?.retryAfterS;
    response.writeHead(status, {
      'Content-Type': isText ? 'text/html' : 'application/json; charset=utf-8',
      ...(after !== undefined && { 'Retry-After': String(after) }),
    });
    response.end(isText ? answer : JSON.stringify(answer));
  }

  #answer(request: IncomingMessage, body: string): [number, object | string] {
    const { url = '', method } = request;
    if (this.refusal !== null) return [this.refusal.status, { ok: false, error: 'ratelimited' }];
    if (method !== 'POST') return [405, 'method not allowed'];
    if (url.startsWith('/api/')) return [200, this.#call(url.slice('/api/'.length), request, body)];
    if (url.startsWith('/services/')) return this.#incoming(url, request, body);
    return this.#late(url, request, body);
  }

  #call(name: string, { headers }: IncomingMessage, body: string): object {
    if (headers.authorization === undefined) return { ok: false, error: 'not_authed' };
    if (headers.authorization !== `Bearer ${BOT_TOKEN}`) return { ok: false, error: 'invalid_auth' };
    const message = jsonOf(headers, body);
    if (message === null) return { ok: false, error: 'invalid_json' };
    const { id, name: team, domain } = this.team;
    if (name === 'auth.test')
      return { ok: true, url: `https://${domain}.slack.com/`, team, team_id: id, user_id: 'U0BOT' };
    if (name !== 'chat.postMessage') return { ok: false, error: 'unknown_method' };
    const { channel, ...rest } = message;
    if (typeof channel !== 'string' || !this.channels.has(channel)) return { ok: false, error: 'channel_not_found' };
    const fault = formFault(rest);
    if (fault !== null) return { ok: false, error: fault };
    if (rest.unfurl_links !== false || rest.unfurl_media !== false) return { ok: false, error: 'shows_previews' };
    this.#keep({ by: 'bot', to: channel, message: rest });
    return { ok: true, channel, ts: '1405895017.000506', message: rest };
  }

  #incoming(path: string, { headers }: IncomingMessage, body: string): [number, string] {
    if (!this.webhooks.has(path)) return [404, 'no_service'];
    const message = jsonOf(headers, body);
    const fault = message === null ? 'invalid_payload' : formFault(message);
    if (message === null || fault !== null) return [400, fault ?? 'invalid_payload'];
    this.#keep({ by: 'webhook', to: path, message });
    return [200, 'ok'];
  }

  #late(path: string, { headers }: IncomingMessage, body: string): [number, object | string] {
    const known = this.#answers.get(path);
    if (known === undefined || Date.now() > known.untilMs) return [404, { ok: false, error: 'expired_url' }];
    if (known.left-- <= 0) return [404, { ok: false, error: 'used_url' }];
    const message = jsonOf(headers, body);
    const fault = message === null ? 'invalid_payload' : formFault(message);
    if (message === null || fault !== null) return [400, fault ?? 'invalid_payload'];
    this.#keep({ by: 'answer', to: path, message });
    return [200, { ok: true }];
  }

  #keep(posted: Posted): void {
    this.posted.push(posted);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function jsonOf(headers: IncomingMessage['headers'], body: string): SlackMessage | null {
  if (!/^application\/json(?:; ?charset=utf-8)?$/i.test(headers['content-type'] ?? '')) return null;
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** The form of a command, as Slack sends it. */
export const slashForm = (text: string, { id, name = 'ann', team = TEAM.id }: SlackPerson, responseUrl: string) =>
  new URLSearchParams({
    token: 'gIkuvaNzQIHg97ATvDxqgjtO',
    team_id: team,
    team_domain: TEAM.domain,
    channel_id: 'C2147483705',
    channel_name: 'lab',
    user_id: id,
    user_name: name,
    command: '/holdfast',
    text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    api_app_id: 'A123456',
    is_enterprise_install: 'false',
    response_url: responseUrl,
    trigger_id: '13345224609.738474920.8088930838d88f008e0',
  }).toString();

/** The form of a click on a button, as Slack sends it. */
export const clickForm = (
  value: string,
  { id, name = 'ann', team = TEAM.id }: SlackPerson,
  responseUrl: string,
  isEphemeral = true,
) =>
  new URLSearchParams({
    payload: JSON.stringify({
      type: 'block_actions',
      user: { id, username: name, name, team_id: team },
      api_app_id: 'A123456',
      token: 'gIkuvaNzQIHg97ATvDxqgjtO',
      container: {
        type: 'message',
        message_ts: '1548261231.000200',
        channel_id: 'C2147483705',
        is_ephemeral: isEphemeral,
      },
      trigger_id: '12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3',
      team: { id: TEAM.id, domain: TEAM.domain },
      enterprise: null,
      channel: { id: 'C2147483705', name: 'lab' },
      response_url: responseUrl,
      actions: [
        {
          type: 'button',
          block_id: '=qXel',
          action_id: 'a',
          value,
          text: { type: 'plain_text', text: 'Press' },
          action_ts: '1',
        },
      ],
    }),
  }).toString();

interface SendOptions {
  readonly secret?: string;
  readonly ageS?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The headers with which Slack signs a body. */
export function signedHeaders(body: string, { secret = SIGNING_SECRET, ageS = 0 }: SendOptions = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageS);
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': `v0=${signature}` };
}

/** Sends a request to an app, as Slack does. @throws Error if the answer has not the form that Slack takes */
export async function sendAsSlack(url: string, body: string, options: SendOptions = {}): Promise<Reaction> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'User-Agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      ...signedHeaders(body, options),
      ...options.headers,
    },
    body,
    signal: AbortSignal.timeout(3000),
  });
  const text = await response.text();
  if (response.status !== 200 || text === '') return { status: response.status, text, message: null };
  if (!response.headers.get('content-type')?.startsWith('application/json')) throw new Error('Slack shows it as text');
  const message: SlackMessage = JSON.parse(text);
  const fault = formFault(message);
  if (fault !== null) throw new Error(`Slack refuses the answer: ${fault}\n${text}`);
  return { status: response.status, text, message };
}
