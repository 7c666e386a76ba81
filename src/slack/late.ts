/**
 * Sends an answer to the address that a request from Slack names.
 */
import type { Logger } from 'pino';
import { post } from '../outgoing/request.ts';
import type { SlackSite } from '../outgoing/slack.ts';

const TIMEOUT_MS = 10_000;

/** Never fails: a log line says that Slack did not take it, without the address, which is a secret. */
export async function answerLater({ rules }: SlackSite, address: string, body: object, log: Logger): Promise<void> {
  try {
    const { status } = await post(address, {
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      rules,
    });
    if (status !== 200) log.warn({ status }, 'Slack refused an answer');
  } catch {
    log.warn('an answer could not be sent to Slack');
  }
}
