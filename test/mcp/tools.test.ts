/**
 * The tools (docs/specification.md#tools), called by the official client, which checks each structured result against
 * the schema of its tool.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, startAgent } from '../support/mcp.ts';
import { type Instance, startInstance } from '../support/service.ts';

let service: Instance;
let ann: Agent;
let bob: Agent;
beforeAll(async () => {
  service = await startInstance();
  ann = await startAgent(service, { name: 'Claude Code' });
  bob = await startAgent(service, { name: 'Claude Code' });
});
afterAll(async () => {
  await Promise.all([ann.close(), bob.close()]);
  await service.stop();
});
beforeEach(async () => void (await service.reset()));

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

describe('the list of tools', () => {
  it('has all thirteen, each with schemas, and says which change or end something', async () => {
    const { tools } = await ann.client.listTools();
    const hints = tools.map(({ name, annotations }) => {
      const { readOnlyHint, destructiveHint } = annotations ?? {};
      return [name, readOnlyHint ? 'looks' : destructiveHint ? 'destroys' : 'changes'];
    });
    expect(Object.fromEntries(hints)).toEqual({
      reserve: 'changes',
      release: 'destroys',
      renew: 'changes',
      check: 'looks',
      list_reservations: 'looks',
      list_resources: 'looks',
      who_is_waiting: 'looks',
      list_bookings: 'looks',
      book: 'changes',
      cancel_booking: 'destroys',
      cancel: 'destroys',
      register: 'destroys',
      set_condition: 'destroys',
    });
    for (const { inputSchema, outputSchema, description } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object', properties: { message: { type: 'string' } } });
      expect(description?.length).toBeGreaterThan(80);
    }
  });
});

describe('reserve', () => {
  it('tells the attributes that come with the hold', async () => {
    await service.register({
      name: 'boards',
      capacity: 2,
      attributes: { hub: '10.0.0.7' },
      slotAttributes: [{ a: '1' }],
    });
    const { text, data } = await ann.call('reserve', { resource: 'boards' });
    expect(data).toMatchObject({ attributes: { hub: '10.0.0.7', a: '1' } });
    expect(text).toContain('Its attributes: {"hub":"10.0.0.7","a":"1"}.');
    expect((await bob.call('list_resources', {})).text).not.toContain('10.0.0.7');
  });

  it('takes a free resource for ten minutes, and says how to go on', async () => {
    const { text, data, isError } = await ann.call('reserve', { resource: 'port-3000', note: 'tests' });
    expect(isError).toBe(false);
    expect(data).toMatchObject({ status: 'ACQUIRED', resource: 'port-3000', ttlSeconds: 600, expiresAt: isoTime });
    expect(data.message).toBe(text);
    expect(text).toMatch(/^ACQUIRED: you .* hold "port-3000" until .* \(10 min from now\)/);
    expect(text).toContain(`Keep releaseToken ${data.releaseToken}`);
    expect((await service.active()).body).toMatchObject([{ resource: 'port-3000', note: 'tests' }]);
  });

  it('tells two agents with one name apart, and knows each of them again', async () => {
    const [mine, his] = [await ann.call('reserve', { resource: 'a' }), await bob.call('reserve', { resource: 'b' })];
    expect(mine.data.requester).toMatch(/^Claude-Code-\w{10}$/);
    expect(his.data.requester).toMatch(/^Claude-Code-\w{10}$/);
    expect(mine.data.requester).not.toBe(his.data.requester);
    expect((await ann.call('reserve', { resource: 'c' })).data.requester).toBe(mine.data.requester);
  });

  it('says who has it, until when and what for, and what to do', async () => {
    await service.reserve({ resource: 'staging', requester: 'carl', ttlSeconds: 300, note: 'demo' });
    const { text, isError, data } = await ann.call('reserve', { resource: 'staging', waitSeconds: 0 });
    expect(isError).toBe(false);
    expect(data).toMatchObject({ status: 'ALREADY_HELD', heldBy: { requester: 'carl' } });
    expect(text).toMatch(/held by "carl" until \S+ \(5 min from now\), note "demo"\. Do not use it\./);
  });

  it('gives a forgetful agent its release token again', async () => {
    const { data } = await ann.call('reserve', { resource: 'x' });
    const lost = await ann.call('release', { resource: 'x' });
    expect(lost.isError).toBe(true);
    expect(lost.text).toContain('Call reserve with the same resource and requester');
    const again = await ann.call('reserve', { resource: 'x' });
    expect(again.data).toMatchObject({ status: 'ALREADY_HAD', releaseToken: data.releaseToken });
    const { data: released } = await ann.call('release', { resource: 'x', releaseToken: again.data.releaseToken });
    expect(released).toMatchObject({ status: 'RELINQUISHED' });
  });

  it('takes the lease, the requester and the rest from its arguments', async () => {
    const args = { resource: 'y', requester: 'me', ttlSeconds: 30, mode: 'SHARED', priority: 3 };
    const { data } = await ann.call('reserve', args);
    expect(data).toMatchObject({ status: 'ACQUIRED', requester: 'me', ttlSeconds: 30, mode: 'SHARED' });
  });

  it('takes any resource with the requested labels, and several slots', async () => {
    await service.register({ name: 'phone', capacity: 3, labels: { os: 'android' } });
    const { data } = await ann.call('reserve', { match: { os: 'android' } });
    expect(data).toMatchObject({ status: 'ACQUIRED', resource: 'phone' });
    const two = await ann.call('reserve', { resource: 'phone', count: 2, requester: 'two' });
    expect(two.data).toMatchObject({ status: 'ACQUIRED', slots: ['phone_1', 'phone_2'] });
    expect(two.text).toContain('(slots "phone_1", "phone_2")');
  });
});

describe('renew and release', () => {
  it('prolong and end what one holds', async () => {
    const { data } = await ann.call('reserve', { resource: 'z', ttlSeconds: 10 });
    const { releaseToken } = data;
    const renewed = await ann.call('renew', { resource: 'z', releaseToken });
    expect(renewed.text).toMatch(/^RENEWED: .*\(10 min from now\)/);
    expect((await ann.call('release', { resource: 'z', releaseToken })).text).toMatch(/^RELINQUISHED/);
    const gone = await ann.call('renew', { resource: 'z', releaseToken });
    expect(gone).toMatchObject({ isError: true, data: { status: 'NOT_RESERVED' } });
    expect(gone.text).toContain('Stop using it');
    expect(await ann.call('release', { resource: 'z', releaseToken })).toMatchObject({ isError: false });
  });

  it('do not end what another holds', async () => {
    const { data } = await ann.call('reserve', { resource: 'hers' });
    const { isError, text } = await bob.call('release', { resource: 'hers', releaseToken: data.releaseToken });
    expect(isError).toBe(true);
    expect(text).toContain('another requester does');
  });
});

describe('the tools that look', () => {
  it('show who holds what, and who waits', async () => {
    await service.register({ name: 'Room', treePath: 'House', groups: true, labels: { floor: '1' } }, { name: 'Yard' });
    await ann.call('reserve', { resource: 'Room', note: 'talk' });
    const poll = '/api/v1/Reservation/reserve?pollSeconds=0';
    await service.request('POST', poll, [{ resource: 'Room', requester: 'carl', ttlSeconds: 9, waitSeconds: 90 }]);

    const seen = await bob.call('check', { resources: ['Room', 'Yard'] });
    expect(seen.text).toMatch(/"Room": held by "Claude-Code-\w+" until .*, note "talk"; 1 waiting\n"Yard": free/);
    expect((await ann.call('check', { resources: ['Room'] })).text).toContain('held by you');
    const { text: held, data } = await bob.call('list_reservations', { resource: 'Room' });
    expect(held).toMatch(/^1 reservation:\n- "Room": held by "Claude-Code-/);
    expect(JSON.stringify(data)).not.toContain('releaseToken');
    const waits = await bob.call('who_is_waiting');
    expect(waits.text).toMatch(/- "carl" waits for "Room" since/);
    expect(waits.data).toMatchObject({ waiting: [{ requester: 'carl' }], more: false });
    await service.register({ name: 'soiled' });
    const item = { resource: 'soiled', requester: 'cleaner', ttlSeconds: 60, waitSeconds: 60, condition: 'dirty' };
    await service.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [item]);
    expect((await bob.call('who_is_waiting')).text).toMatch(/- "cleaner" waits for "soiled" to clean it since/);
    const labelled = await bob.call('list_resources', { label: 'floor=1' });
    expect(labelled.data).toMatchObject({ resources: [{ path: 'House>Room', available: 0, waiting: 1 }] });
    expect(await bob.call('list_resources', { limit: 1 })).toMatchObject({ data: { more: true } });
  });
});

describe('cancel and register', () => {
  it('give up a wait', async () => {
    await service.reserve({ resource: 'q', requester: 'carl' });
    const waits = ann.call('reserve', { resource: 'q' });
    await expect.poll(async () => (await service.waiting()).body).toHaveLength(1);
    expect((await ann.call('cancel', { resource: 'q' })).text).toMatch(/^CANCELLED/);
    expect((await waits).data).toMatchObject({ status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE: cancelled' });
    expect((await ann.call('cancel', { resource: 'q' })).text).toMatch(/^NOT_WAITING/);
  });

  it('register a pool', async () => {
    const { data, text } = await ann.call('register', { name: 'browsers', capacity: 3 });
    expect(data).toMatchObject({ resources: [{ name: 'browsers', capacity: 3 }] });
    expect(text).toContain('"browsers": capacity 3');
  });

  it('register what can be booked, which the list of resources tells', async () => {
    const { text } = await ann.call('register', { name: 'rig', bookable: true });
    expect(text).toContain('"rig": capacity 1, bookable');
    const listed = await ann.call('list_resources', {});
    expect(listed.text).toContain('"rig": 1 of 1 free, bookable');
    expect(listed.data).toMatchObject({
      resources: expect.arrayContaining([expect.objectContaining({ name: 'rig', bookable: true })]),
    });
  });
});

describe('bookings', () => {
  it('are made, in the way of others, listed, told by check, and cancelled', async () => {
    await service.register({ name: 'bench', bookable: true });
    const [start, end] = [1, 2].map((hours) => new Date(Math.ceil(Date.now() / 1000 + hours * 3600) * 1000));
    const asked = { resource: 'bench', start: start?.toISOString(), end: end?.toISOString(), note: 'demo' };
    const { text, data } = await ann.call('book', asked);
    expect(text).toMatch(/^BOOKED: "bench" is yours/);
    expect(await bob.call('book', asked)).toMatchObject({
      isError: false,
      text: expect.stringMatching(
        /^CONFLICT\. "bench" is booked by ".+" from .+ until .+, note "demo"\. Nothing was booked/,
      ),
    });
    expect((await bob.call('list_bookings', { resource: 'bench' })).text).toMatch(/^1 booking:\n.*BOOKED, note "demo"/);
    expect((await bob.call('check', { resources: ['bench'] })).text).toMatch(
      /^"bench": free, booked from .* from now\)$/,
    );
    const { booking } = data as { booking: string };
    expect((await ann.call('cancel_booking', { booking })).text).toMatch(/^CANCELLED/);
    expect((await ann.call('cancel_booking', { booking })).text).toMatch(/^There is no such booking/);
  });

  it('are a series with repeat: all of it, or what conflicts with nothing; and are cancelled together', async () => {
    await service.register({ name: 'press', bookable: true });
    const now = Date.now();
    const day = (n: number) => new Date(now + n * 86_400_000).toISOString().slice(0, 10);
    const at = (n: number, hour: string) => ({ start: `${day(n)}T${hour}:00:00Z`, end: `${day(n)}T${hour}:30:00Z` });
    await bob.call('book', { resource: 'press', ...at(2, '09'), note: 'demo' });
    const repeat = { every: 'day', until: day(4), timeZone: 'UTC' };
    const asked = { resource: 'press', ...at(1, '09'), repeat };
    const refused = await ann.call('book', asked);
    expect(refused.text).toMatch(
      /^CONFLICT\. Nothing of the series was booked\. In the way:\n- .*is booked by .*"demo"\.$/,
    );
    expect(refused.data).toMatchObject({ status: 'CONFLICT', booking: null });
    const { text, data } = await ann.call('book', { ...asked, skipConflicts: true });
    expect(text).toMatch(/^BOOKED: "press" is yours .* 3 times, from .* Left out:\n- .*"demo"\.$/);
    const { series, bookings } = data as { series: string; bookings: { status: string }[] };
    expect(bookings.map(({ status }) => status)).toEqual(['BOOKED', 'CONFLICT', 'BOOKED', 'BOOKED']);
    expect((await bob.call('list_bookings', { resource: 'press' })).text).toContain(`of series ${series}`);
    const later = await ann.call('cancel_booking', { series, from: at(4, '00').start });
    expect(later).toMatchObject({ text: 'CANCELLED: it is not booked any more.', data: { cancelled: 1 } });
    const rest = await ann.call('cancel_booking', { series });
    expect(rest).toMatchObject({ text: 'CANCELLED: 2 bookings are not booked any more.', data: { cancelled: 2 } });
  });
});

describe('arguments that do not fit', () => {
  it.each([
    ['cancel_booking', { from: '2026-11-24T09:00:00Z' }, 'Send `booking`, or `series`'],
    ['cancel_booking', { series: '0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11', from: 'monday' }, 'from must be'],
    ['reserve', {}, 'resource is required. Nothing was done.'],
    ['reserve', { resource: 'a', ttlSeconds: 0 }, 'ttlSeconds must be an integer greater than 0'],
    ['reserve', { resource: 'a', wait: 3 }, 'wait is not a known field'],
    ['reserve', { resource: 'a', match: { os: 'x' } }, 'match must not stand beside resource'],
    ['reserve', { resource: 'a'.repeat(300) }, 'resource must be 1 to 256 characters long'],
    ['register', { name: 'a', capacity: 0 }, 'capacity must be an integer from 1 to'],
    ['check', { resources: [] }, 'resources must be an array of 1 to 50 names'],
  ])('are an error of %s that says what is wrong (%#)', async (name, args, expected) => {
    const { isError, text } = await ann.call(name, args);
    expect(isError).toBe(true);
    expect(text).toContain(expected);
  });

  it('are none of the protocol, but an unknown tool is', async () => {
    await expect(ann.call('lock', {})).rejects.toThrow(/no such tool. There are reserve, release/);
  });
});
