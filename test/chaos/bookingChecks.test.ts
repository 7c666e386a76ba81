/** Tries the check of bookings on small histories: clean ones, and ones that each break one rule. */
import { describe, expect, test } from 'vitest';
import type { ActiveReservation } from '../../src/contract/reservations.ts';
import { bookings } from './checks/bookings.ts';
import { iso, MadeHistory, START, type Times, tokenOf } from './made.ts';

const TENANT = { tenant: 'booked-1' };
const ID = '00000000-0000-4000-8000-000000000001';
const SLOT = 'desk_0';
const [FROM, TO] = [10_000, 70_000];

/** A history in which ann has booked a desk. */
function booked(tenant = TENANT.tenant): Told {
  const item = { resource: 'desk', requester: 'ann', start: iso(FROM), end: iso(TO) };
  const result = { ...item, booking: ID, status: 'BOOKED', explanation: 'BOOKED', slot: SLOT } as const;
  const response = { status: 'BOOKED', bookings: [result] } as const;
  const told = new Told();
  told.made.call('book', { bookings: [item] }, [0, 10], { response: { ...response, bookings: [result] } }, { tenant });
  return told;
}

class Told {
  readonly made = new MadeHistory();

  /** Somebody reads that ann has the desk, or that nobody has it. */
  read(at: number, requester: string | null = 'ann', resource = SLOT): this {
    const one = { resource, requester, booking: ID, expiresAt: iso(TO) } as unknown as ActiveReservation;
    this.made.call('active', '', [at, at + 10], { response: requester === null ? [] : [one] }, TENANT);
    return this;
  }

  release(at: number): this {
    this.made.release({ resource: SLOT, requester: 'ann', token: tokenOf(1) }, [at, at + 10], 'RELINQUISHED', TENANT);
    return this;
  }

  cancel([from, by]: Times, isKnown = true): this {
    this.made.call(
      'cancelBooking',
      ID,
      [from, by],
      isKnown ? { response: { cancelled: 1 } } : { status: null },
      TENANT,
    );
    return this;
  }

  fault(...fault: Parameters<MadeHistory['fault']>): this {
    this.made.fault(...fault);
    return this;
  }

  found(setup = 'database'): string[] {
    return bookings.run({ ...this.made.history, setup }).violations.map(({ what }) => what);
  }
}

describe('clean', () => {
  test('a booking that begins, runs and ends', () => {
    expect(booked().read(5000, null).read(11_000).read(60_000).read(71_000, null).found()).toEqual([]);
  });

  test('one that is cancelled or released, perhaps', () => {
    expect(booked().cancel([5000, 5010]).read(11_000, null).found()).toEqual([]);
    expect(booked().read(11_000).release(12_000).read(13_000, null).found()).toEqual([]);
    expect(booked().cancel([5000, 5010], false).read(11_000, null).read(12_000).found()).toEqual([]);
  });

  test('a loss of Redis without a database, and of what was not copied in time with one', () => {
    const flushed = { loses: 'everything' } as const;
    expect(booked().fault(flushed, [9000, 9100]).read(11_000, null).found('always')).toEqual([]);
    expect(booked().release(11_000).fault(flushed, [13_000, 13_100]).read(14_000).found()).toEqual([]);
  });

  test('a step of the clock', () => {
    expect(booked().fault({ clockStepMs: 60_000 }, [9000, 9500]).read(11_000, null).found()).toEqual([]);
  });
});

describe('found', () => {
  test('a booking that has not begun, or not the slot that was booked', () => {
    expect(booked().read(11_000, null).found().join()).toMatch(/ann has booked desk_0 .* nobody has it/);
    expect(booked().read(11_000, 'bob').found().join()).toMatch(/bob has desk_0/);
    expect(booked().read(11_000, 'ann', 'desk_1').found().join()).toMatch(/ann has desk_1/);
  });

  test('one that has begun before its start, or goes on after its end', () => {
    expect(booked().read(9000).found()).toHaveLength(1);
    expect(booked().read(71_000).found()).toHaveLength(1);
  });

  test('one that comes back after its cancel or release', () => {
    expect(booked().cancel([5000, 5010]).read(11_000).found()).toHaveLength(1);
    expect(booked().release(12_000).read(13_000).found()).toHaveLength(1);
    const lost = booked().release(12_000).fault({ loses: 'everything' }, [40_000, 40_100]).read(41_000);
    expect(lost.found()).toHaveLength(1);
  });

  test('one that a Redis with a database has not got back after its loss, or a failover', () => {
    expect(booked().fault({ loses: 'everything' }, [9000, 9100]).read(11_000, null).found()).toHaveLength(1);
    const failedOver = booked()
      .fault({ loses: { recentMs: 1000 } }, [9000, 9100])
      .read(40_000, null);
    expect(failedOver.found()).toHaveLength(1);
  });

  test('one that begins twice', () => {
    const told = booked();
    const event = { type: 'RESERVED', booking: ID, resource: SLOT, requester: 'ann' };
    const events = [10_010, 12_000].map((at) => ({ receivedAt: START + at, event: event as never }));
    told.made.stream({ tenant: TENANT.tenant, at: 'api0', openedAt: START, endedAt: Infinity, events });
    expect(told.found().join()).toMatch(/begins again at 12\.000 s/);
  });
});

describe('of a tenant that sends no calls', () => {
  const found = (reservedAt: number, fault?: Parameters<MadeHistory['fault']>) => {
    const told = booked('booked-idle-1');
    if (fault) told.fault(...fault);
    const one = { resource: SLOT, requester: 'ann', booking: ID, reservedAt: iso(reservedAt) } as unknown;
    const state = { tenant: 'booked-idle-1', readAt: START + 50_000, active: [one as ActiveReservation] };
    told.made.end(state);
    return told.found();
  };

  test('a booking may begin some seconds late, or after a fault', () => {
    expect(found(12_000)).toEqual([]);
    expect(found(40_000, [{ loses: 'everything' }, [25_000, 30_000]])).toEqual([]);
  });

  test('one that began when somebody looked is found', () => {
    expect(found(50_000).join()).toMatch(/of a tenant that sends no calls, began/);
  });
});
