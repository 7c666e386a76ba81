/** The iteration over events when the service has no place for its stream. */
import { describe, expect, it } from 'vitest';
import { events } from '../../../packages/client/src/events/stream.ts';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

describe('a stream', () => {
  it('is opened again after a 429, as soon as another stream has ended', async () => {
    const free = await startInstance({ keys: [{ ...makeConfiguredKey(makeTenant()), tier: 'Free' }] });
    const [first, second] = [events(createApi(free)), events(createApi(free))];
    expect((await first.next()).value).toMatchObject({ type: 'CONNECTED' });
    const waiting = second.next();
    await expect.poll(() => free.logged.some((line) => line.includes('"status":429'))).toBe(true);
    await first.return();
    expect((await waiting).value).toMatchObject({ type: 'CONNECTED' });
    await second.return();
    await free.stop();
  });
});
