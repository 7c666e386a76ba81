/** Sessions: one heartbeat for many reservations. */
import { textAt } from '../recorder.ts';
import type { Stage } from '../world.ts';

export async function session({ record, key }: Stage): Promise<void> {
  const requester = 'test-run-42';
  const begin = { requester, ttlSeconds: 30 };
  const { body } = await record.show('Begin a session of 30 seconds', 'beginSession', { by: key, body: begin });
  const session = textAt(body, 'session');
  const token = textAt(body, 'token');
  const proof = { session, token };
  await record.quiet('reserve', {
    by: key,
    body: [
      { resource: 'phone-1', requester, session },
      { resource: 'phone-2', requester, session },
    ],
  });
  await record.show('Two reservations last as long as this session', 'listSessions', { by: key });
  await record.show('Keep it for another 30 seconds', 'renewSession', { by: key, body: proof });
  await record.show('A wrong token', 'renewSession', { by: key, body: { ...proof, token: 'not the token' } });
  await record.show('End it, with its two reservations', 'endSession', { by: key, body: proof });
  await record.show('End it again', 'endSession', { by: key, body: proof });
}
