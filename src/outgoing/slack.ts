/**
 * Calls of Slack's Web API. Slack says most failures in the body of an answer with the status 200.
 */
import { z } from 'zod';
import type { Rules } from './addresses.ts';
import { post } from './request.ts';

/** Where Slack is. Tests have another place. */
export interface SlackSite {
  /** The address of the methods. */
  readonly api: string;
  /** The origin of incoming webhooks, and of addresses for late answers. */
  readonly hooks: string;
  readonly rules: Rules;
}

export const SLACK: SlackSite = {
  api: 'https://slack.com/api',
  hooks: 'https://hooks.slack.com',
  rules: { allowPrivate: false, allowHttp: false },
};

/** Returns true if an address is one of Slack's for messages. */
export function isSlackHook({ hooks }: SlackSite, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, username, password } = new URL(address);
  return origin === hooks && username === '' && password === '';
}

/** More than the answers of the methods that we call. */
const KEEP_BYTES = 65_536;

const Answer = z.looseObject({ ok: z.boolean(), error: z.string().optional() });

/** The answer to a call: `error` is a word of Slack's, such as `invalid_auth`. */
export type SlackAnswer =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly status: number; readonly error: string; readonly retryAfterMs: number | null };

/**
 * Calls a method.
 * @param body its arguments
 * @throws OutgoingFault
 */
export async function callSlack(
  { api, rules }: SlackSite,
  method: string,
  botToken: string,
  body: object,
  signal: AbortSignal,
): Promise<SlackAnswer> {
  const {
    status,
    retryAfterMs,
    body: text,
  } = await post(`${api}/${method}`, {
    headers: { Authorization: `Bearer ${botToken}`, 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
    signal,
    rules,
    keepBytes: KEEP_BYTES,
  });
  const failed = { ok: false, status, retryAfterMs } as const;
  const parsed = Answer.safeParse(jsonOf(text));
  if (!parsed.success) return { ...failed, error: `status ${status}` };
  const { ok, error = 'unknown_error', ...rest } = parsed.data;
  return ok ? { ok, body: rest } : { ...failed, error };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
