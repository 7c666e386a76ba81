/**
 * Posts messages to webhooks and Slack, and turns responses and faults into outcomes.
 */
import { OutgoingFault } from '../outgoing/fault.ts';
import { post } from '../outgoing/request.ts';
import type { Outcome } from './sending.ts';

/** Posts to a receiver. Rejects only for faults of this service. */
export const postTo = (url: string, request: Parameters<typeof post>[1]): Promise<Outcome> =>
  post(url, request).then(({ status, retryAfterMs }) => {
    const isDone = status >= 200 && status < 300;
    return { status, retryAfterMs: retryAfterMs ?? 0, fault: isDone ? null : `The response has status ${status}.` };
  }, noResponse);

/** Returns the outcome of a request without a response. @throws the error if it is a fault of this service */
export function noResponse(error: unknown): Outcome {
  if (error instanceof OutgoingFault) return { status: null, fault: error.message };
  throw error;
}
