/** The end of a session by time (docs/specification.md#sessions). */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../../src/contract/reservations.ts';
import { holdfast, useInstance } from '../../support/instance.ts';
import { makeConfiguredKey, makeTenant } from '../../support/service.ts';
import { begin } from '../../support/sessions.ts';

useInstance({ keys: [makeConfiguredKey(makeTenant())] });

describe('the end of a session', () => {
  test('by time hands over when it is due, not at the next sweep', async () => {
    const short = await begin(holdfast, 'bot', 5);
    // A busy machine delays this timer as it delays that of the instance.
    const due = pause(Date.parse(short.expiresAt) - Date.now()).then(() => performance.now());
    await holdfast.reserve({ resource: 'held', requester: 'bot', session: short.session });
    const { body } = await holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=30', [
      { resource: 'held', requester: 'next', ttlSeconds: 60, waitSeconds: 60 },
    ]);
    expect(body).toMatchObject([{ status: 'ACQUIRED' }]);
    expect(performance.now() - (await due)).toBeLessThan(1000);
  });
});
