/** Callers who book desks, strangers who want the same desks, and one who looks who has them. */
import { now } from '../random.ts';
import { DESKS } from '../things.ts';
import { type Caller, isUnknown } from './caller.ts';
import { release, take } from './holding.ts';

const LENGTH_MS = 60_000;
/** Longer than a round takes. */
const IDLE_LENGTH_MS = 3_600_000;

/** Books a desk for a time that comes soon. Then cancels it, or releases it once it has begun, or lets it run. */
export async function bookAhead(caller: Caller): Promise<void> {
  const { random, shift } = caller;
  const left: string[] = [];
  while (!shift.isOver) {
    // A Redis without a database loses the definition.
    if (!shift.system.traits.hasDatabase) await caller.call('register', [DESKS]);
    const requester = caller.requester();
    const startMs = Math.ceil(now() / 1000 + random.between(1, 5)) * 1000;
    const [start, end] = [new Date(startMs).toISOString(), new Date(startMs + LENGTH_MS).toISOString()];
    const item = { resource: DESKS.name, requester, start, end };
    const keyed = { idempotencyKey: caller.idempotencyKey() };
    const [booked] = (await caller.ask('book', { bookings: [item] }, keyed)).response?.bookings ?? [];
    if (booked?.booking && booked.slot !== null) {
      if (random.chance(0.15)) await cancel(caller, booked.booking);
      else {
        await shift.pause(startMs - now() + random.between(0, 4000));
        if (random.chance(0.7))
          await release(caller, await take(caller, { resource: booked.slot, requester, ttlSeconds: 1 }));
        else left.push(booked.booking);
      }
    }
    caller.forget();
    await caller.pause(100, 600);
  }
  for (const booking of left) await cancel(caller, booking);
}

/** Books desks for times throughout the round, and calls no more. */
export async function bookAndGo(caller: Caller): Promise<void> {
  const firstMs = Math.ceil(now() / 1000) * 1000 + 5000;
  const at = (ms: number) => new Date(firstMs + ms).toISOString();
  const bookings = Array.from({ length: 20 }, (_, i) => {
    const requester = caller.requester();
    return { resource: DESKS.name, requester, start: at(3000 * i), end: at(3000 * i + IDLE_LENGTH_MS) };
  });
  const keyed = { idempotencyKey: caller.idempotencyKey() };
  while (!caller.shift.isOver && isUnknown(await caller.call('book', { bookings }, keyed)))
    await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Cancels a booking, and repeats that until it is known. */
async function cancel(caller: Caller, booking: string): Promise<void> {
  for (let tries = 0; tries < 10 && isUnknown(await caller.call('cancelBooking', booking)); tries++)
    await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Reserves desks for some seconds, by their names and any of them. */
export async function intrude(caller: Caller): Promise<void> {
  const { random, shift } = caller;
  while (!shift.isOver) {
    const resource = random.chance(0.3) ? DESKS.name : `${DESKS.name}_${random.between(0, 20)}`;
    const held = await take(caller, { resource, requester: caller.requester(), ttlSeconds: random.between(1, 8) });
    await caller.pause(0, 400);
    if (random.chance(0.5)) await release(caller, held);
    caller.forget();
    await caller.pause(50, 200);
  }
}

/** Looks who has the desks, again and again. */
export async function watch(caller: Caller): Promise<void> {
  while (!caller.shift.isOver) {
    await caller.call('active', '');
    await caller.pause(150, 350);
  }
}
