/** Subscribers of streams of events: each opens its stream again when it has ended, and records each stream. */
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Event } from '../../../src/contract/events.ts';
import type { StreamSeen } from '../history.ts';
import { now } from '../random.ts';
import type { Tenant } from '../system.ts';
import type { Address } from './caller.ts';
import type { Shift } from './shift.ts';

/** Subscribes to a tenant's events at an address until the signal aborts. */
export async function subscribe(shift: Shift, tenant: Tenant, at: Address, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const stream = await follow(shift, tenant, at, signal).catch(() => null);
    if (stream !== null) shift.recorder.stream(stream);
    await sleep(100, undefined, { signal }).catch(() => {});
  }
}

/** Reads one stream to its end. Returns null if it was never open. */
async function follow(shift: Shift, tenant: Tenant, at: Address, signal: AbortSignal): Promise<StreamSeen | null> {
  const events: { receivedAt: number; event: Event }[] = [];
  let openedAt: number | null = null;
  try {
    const { statusCode, body } = await request(`${at.url}/api/v1/events`, {
      dispatcher: shift.agent,
      headers: { 'x-api-key': tenant.key },
      bodyTimeout: 0,
      signal,
    });
    if (statusCode !== 200) {
      await body.dump();
      return null;
    }
    let text = '';
    for await (const chunk of body.setEncoding('utf8')) {
      const frames = (text + String(chunk)).split('\n\n');
      text = frames.pop() ?? '';
      const receivedAt = now();
      for (const frame of frames) {
        if (frame.startsWith(': open')) openedAt = receivedAt;
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data !== undefined) events.push({ receivedAt, event: JSON.parse(data) });
      }
    }
  } catch {
    // It was cut off: as good as its end.
  }
  const endedAt = signal.aborted ? Number.POSITIVE_INFINITY : now();
  return openedAt === null ? null : { tenant: tenant.tenant, at: at.name, openedAt, endedAt, events };
}
