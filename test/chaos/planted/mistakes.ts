/**
 * Mistakes that are planted into a copy of the service, one at a time, to see which check or test finds them. Checks of
 * the campaign and other tests that found them:
 *
 * - every 5th repeat with an `Idempotency-Key` is carried out again: loss; test/http/repeats,
 *   test/engine/reservations/idempotency
 * - every 31st request overtakes: queue; test/model/waitingHistories, test/waiting/turns, test/engine/waiting/order
 * - a held name is given away: exclusion, leases, events, history, inconsistencies; test/model/histories
 * - a pool gives out a slot too many: capacity, events, leases, history, inconsistencies; test/http/pools,
 *   test/model/histories
 * - a fencing token is used again: fencing, events, history, transactions; test/model/histories
 * - a lease ends 400 ms early: leases, exclusion, quotas; test/model/histories
 * - a release with a wrong token is accepted: loss, exclusion, history, leases, linearizability, sessions;
 *   test/model/histories
 * - a reservation stays when its session ends: sessions; test/engine/sessions, test/model/waitingHistories
 * - a request is not charged to the quota: quotas; test/limits/writes
 * - an instance does not connect to Redis again for 9 s: recovery
 * - an event is dropped: events; test/events/streams
 * - an event is sent twice: events; test/events/streams
 * - a stream that is opened misses the first message: events; test/events/streams
 * - a held resource is reported as free: test/model/histories
 * - an `ALL_OR_NONE` that fails keeps what it did: loss, linearizability, events, history, leases;
 *   test/model/histories
 * - a caller that waits is not told of its grant: queue
 * - the count of reservations drifts: inconsistencies, quotas; test/model/histories
 * - an entry of the history is lost: history
 * - an event is missing from the outbox: test/model/histories, test/engine/notices/outbox
 * - a Redis that died comes back without its data: loss, history, leases, linearizability, quotas, sessions,
 *   exclusion
 * - a booking that is released begins again: bookings
 * - a Redis that has lost its data gets no bookings back: bookings
 * - bookings that a failover has lost are not brought back: test/store/bookingsLost
 * - the end of a booking is not copied: test/store/bookingsLost
 * - bookings of a tenant that sends no calls begin with its next call: bookings
 */

/** Replaces a text that stands in its file once. */
export interface Plant {
  /** Below the root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Mistake extends Plant {
  readonly name: string;
  /** The mistake of the service. */
  readonly what: string;
  /** Where else it is planted: a request goes the plain way or the general one. */
  readonly also?: readonly Plant[];
  /** A fault that it shows after. */
  readonly fault?: string;
  /** The setup on which it shows. Left out: `always` */
  readonly setup?: string;
  /** For how long faults happen, in s, if it needs longer than others to show. */
  readonly seconds?: number;
}

/** Lua that is true once in so many times, by the clock of Redis. */
const once = (times: number): string => `tonumber(redis.call('TIME')[2]) % ${times} == 0`;

export const MISTAKES: readonly Mistake[] = [
  {
    name: 'repeat-again',
    what: 'every 5th repeat with an Idempotency-Key is carried out again',
    file: 'lua/frame/answers.lua',
    find: 'if not stored then',
    replace: `if not stored or ${once(5)} then`,
  },
  {
    name: 'overtake',
    what: 'every 31st request overtakes: nothing is kept from it',
    file: 'lua/waiting/keeping.lua',
    find: 'mark = tenant.requestMark or mark\n',
    replace: `if ${once(31)} then return nil end mark = tenant.requestMark or mark\n`,
  },
  {
    name: 'given-away',
    what: 'a name that is held is given to the next caller, 1 of 50',
    file: 'lua/reservations/reserve.lua',
    find: 'if not isJoined and slotMap.recordAt(name) then',
    replace: `if not isJoined and slotMap.recordAt(name) and not (${once(50)}) then`,
    also: [
      {
        file: 'lua/plain/reserve.lua',
        find: '  if held then',
        replace: `  if held and not (${once(50)}) then`,
      },
      {
        file: 'lua/plain/reserve.lua',
        find: 'local held = found[i] or made[name]',
        replace: `local held = not (${once(50)}) and (found[i] or made[name])`,
      },
    ],
  },
  {
    name: 'pool-too-large',
    what: 'a pool has one slot more than its capacity',
    file: 'lua/reservations/take.lua',
    find: 'elseif conditions.freeOf(resource, own.capacity, condition) < (entry.count or 1) then',
    replace:
      'elseif freeSlots.heldOf(resource) == own.capacity and own.capacity > 1 then\n    return pools.slotAt(resource, own.capacity), true\n' +
      '  elseif conditions.freeOf(resource, own.capacity, condition) < (entry.count or 1) then',
    also: [
      { file: 'lua/plain/slots.lua', find: 'return held >= capacity and', replace: 'return held > capacity and' },
      {
        file: 'lua/plain/slots.lua',
        find: 'return number and number < capacity and',
        replace: 'return number and number <= capacity and',
      },
    ],
  },
  {
    name: 'token-twice',
    what: 'a fencing token is used again, 1 of 50',
    file: 'lua/reservations/fencing.lua',
    find: 'return last < nowUs and nowUs or last + 1',
    replace: `return ${once(50)} and last or (last < nowUs and nowUs or last + 1)`,
  },
  {
    name: 'lease-early',
    what: 'a lease ends 400 ms early, 1 of 10',
    file: 'lua/reservations/reserve.lua',
    find: 'now + item.ttlMs or 0, token',
    replace: `now + item.ttlMs - (${once(10)} and 400 or 0) or 0, token`,
    also: [
      {
        file: 'lua/plain/plain.lua',
        find: 'local expiresAt = nowMs + lease',
        replace: `local expiresAt = nowMs + lease - (${once(10)} and 400 or 0)`,
      },
    ],
  },
  {
    name: 'wrong-token',
    what: 'a release with a wrong token is accepted, 1 of 5',
    file: 'lua/reservations/release.lua',
    find: 'if not admission.mayForce(reservation.owner) then',
    replace: `if ${once(5)} then\n      item.token = reservation.token\n    elseif not admission.mayForce(reservation.owner) then`,
    also: ['lua/plain/unreserve.lua', 'lua/plain/slots.lua'].map((file) => ({
      file,
      find: 'token ~= args[at + 2] then',
      replace: `token ~= args[at + 2] and not (${once(5)}) then`,
    })),
  },
  {
    name: 'session-half-ended',
    what: 'a reservation stays when its session ends, 1 of 5',
    file: 'lua/sessions/sessions.lua',
    find: 'if held and held.session == session.id then',
    replace: `if held and held.session == session.id and not (${once(5)}) then`,
  },
  {
    name: 'not-charged',
    what: 'a request is not charged to the quota of writes, 1 of 4',
    file: 'lua/limits/quota.lua',
    find: '= start, writes + cost, thisDay,',
    replace: `= start, writes + (${once(4)} and 0 or cost), thisDay,`,
    also: [
      {
        file: 'lua/plain/tenant.lua',
        find: 'minute, today = minute + cost, today + cost',
        replace: `minute, today = minute + (${once(4)} and 0 or cost), today + cost`,
      },
    ],
  },
  {
    name: 'slow-to-recover',
    what: 'an instance whose Redis is away connects again only after 9 s',
    file: 'src/redis/client.ts',
    find: 'Math.min(attempt * 50, 200)',
    replace: '(attempt < 3 ? 50 : 9000)',
    fault: 'kill-redis',
  },
  {
    name: 'event-dropped',
    what: 'an event is dropped, 1 of 50',
    file: 'lua/events/events.lua',
    find: 'local nth = #events.listed + 1\n',
    replace: `if ${once(50)} then return end\n  local nth = #events.listed + 1\n`,
  },
  {
    name: 'event-doubled',
    what: 'an event is sent twice, 1 of 50',
    file: 'lua/events/events.lua',
    find: 'local nth = #events.listed + 1\n',
    replace: `local nth = #events.listed + 1\n  if ${once(50)} then events.listed[nth], nth = line, nth + 1 end\n`,
  },
  {
    name: 'stream-skips',
    what: 'a stream that is opened misses the first message',
    file: 'src/events/stream.ts',
    find: 'this.#last = lastMessage;',
    replace: 'this.#last = lastMessage + 1;\n    this.#openedAt = lastMessage + 1;',
    fault: 'kill-instance',
  },
  {
    name: 'count-drifts',
    what: 'the count of reservations is one too high, 1 of 40',
    file: 'lua/frame/tenant.lua',
    find: 'tenant.fence, tenant.count, tenant.moreSlots, finite',
    replace: `tenant.fence, tenant.count + (${once(40)} and 1 or 0), tenant.moreSlots, finite`,
    also: [
      {
        file: 'lua/plain/tenant.lua',
        find: 'FORM, tier, flags, definitions, minuteStart, minute, day, today, fence, count,',
        replace: `FORM, tier, flags, definitions, minuteStart, minute, day, today, fence, count + (${once(40)} and 1 or 0),`,
      },
    ],
  },
  {
    name: 'history-lost',
    what: 'what ended is not written to the history, 1 of 50',
    file: 'lua/history/ended.lua',
    find: "redis.call('XADD', key, '*', ...)",
    replace: `if not (${once(50)}) then redis.call('XADD', key, '*', ...) end`,
  },
  {
    name: 'outbox-lost',
    what: 'an event is not added to the outbox, 1 of 40',
    file: 'lua/events/outbox.lua',
    find: "redis.pcall('XADD', key, '*', 'e', value).err",
    replace: `(${once(40)} or redis.pcall('XADD', key, '*', 'e', value).err)`,
  },
  {
    name: 'read-wrong',
    what: 'a resource that is held is told to be free, 1 of 5',
    file: 'lua/verbs/definitions.lua',
    find: 'availability.hasFreeSlot(naming.resolve(args[i])) and 1 or 0',
    replace: `(availability.hasFreeSlot(naming.resolve(args[i])) or ${once(5)}) and 1 or 0`,
  },
  {
    name: 'half-a-transaction',
    what: 'an ALL_OR_NONE that fails keeps what it did, 1 of 3',
    file: 'lua/verbs/transaction.lua',
    find: 'local reply = request.reply\n  committing.rollBack(request.before)',
    replace: `local reply = request.reply\n  if not (${once(3)}) then committing.rollBack(request.before) end`,
  },
  {
    name: 'write-lost',
    what: 'a Redis that died comes back without its data, although it has an append-only file',
    file: 'test/chaos/setups/redis.ts',
    find: "...(persistence === 'none' ? [] : ['--appendonly', 'yes', '--appendfsync', persistence]),",
    replace: "...(persistence === 'none' ? [] : ['--appendonly', 'no']),",
    fault: 'kill-redis',
  },
  {
    name: 'booking-again',
    what: 'a booking that is released begins again',
    file: 'lua/bookings/records.lua',
    find: "if records.at(id) and known[id].state == 'r' then\n    records.put(id, false)",
    replace: "if records.at(id) and known[id].state == 'r' then\n    records.change(id, { state = 'b' })",
  },
  {
    name: 'booking-not-restored',
    what: 'a Redis that has lost its data gets no bookings back',
    file: 'src/definitions/workingCopy.ts',
    find: 'copied === null ? await this.#restoreBookings(tenant, lease) : -1',
    replace: '-1',
    setup: 'database',
    fault: 'flushall',
  },
  {
    name: 'booking-not-compared',
    what: 'bookings that a failover has lost are not brought back',
    file: 'src/store/bookingCopies.ts',
    find: 'if (state.isLoaded && state.compared !== state.now) await compare(store, tenant, state);',
    replace: '',
    setup: 'database-sentinel',
    fault: 'kill-primary',
  },
  {
    name: 'booking-revived',
    what: 'the end of a booking is not copied: it begins again when Redis has lost its data',
    file: 'src/store/bookings.ts',
    find: 'for (const part of parts(changed, ROWS_PER_STATEMENT)) {',
    replace: 'for (const part of parts(changed.filter((one) => one.record !== null), ROWS_PER_STATEMENT)) {',
    setup: 'database',
    fault: 'flushall',
  },
  {
    name: 'booking-idle',
    what: 'a tenant that sends no calls gets its bookings back only with its next call',
    file: 'src/store/bookingCopies.ts',
    find: '    await loadTenant(tenant);\n',
    replace: '    return;\n',
    setup: 'database',
    fault: 'flushall',
    seconds: 60,
  },
  {
    name: 'not-woken',
    what: 'a caller that waits is not told of its grant, 1 of 3',
    file: 'src/waiting/tenantCalls.ts',
    find: 'const noted = call.takeGranted();',
    replace: 'const noted = call.takeGranted();\n    if (Math.random() < 0.3) return;',
  },
];

/** Every place in which a mistake is planted. */
export const plantsOf = ({ file, find, replace, also = [] }: Mistake): readonly Plant[] => [
  { file, find, replace },
  ...also,
];
