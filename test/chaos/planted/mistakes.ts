/**
 * Mistakes that are planted into a copy of the service, one at a time, to see which check or test finds them. Each
 * replaces a text that stands in its file once. Checks of the campaign and other tests that found them:
 *
 * - every 5th repeat with an `Idempotency-Key` is carried out again: loss; test/http/repeats,
 *   test/engine/reservations/once
 * - every 31st request overtakes: queue; test/model/waitingHistories, test/waiting/turns, test/engine/waiting/order
 * - a held name is given away: exclusion, linearizability, leases, events, history; test/model/histories
 * - a pool gives out a slot too many: capacity, exclusion, events, leases, inconsistencies; test/http/pools,
 *   test/model/histories
 * - a fencing token is used again: fencing, events, history; test/model/histories
 * - a lease ends 400 ms early: leases, exclusion; test/model/histories
 * - a release with a wrong token is accepted: loss, exclusion, history, leases, linearizability, sessions;
 *   test/model/histories
 * - a reservation stays when its session ends: sessions; test/engine/sessions, test/model/waitingHistories
 * - a request is not charged to the quota: quotas; test/limits/writes
 * - an instance does not connect to Redis again for 9 s: recovery
 * - an event is dropped: events; test/events/streams
 * - an event is sent twice: events; test/events/streams
 * - a stream that is opened misses the first message: events; test/events/streams
 * - a held resource is told to be free: test/model/histories
 * - an `ALL_OR_NONE` that fails keeps what it did: loss, linearizability, events, history, leases;
 *   test/model/histories
 * - a caller that waits is not told of its grant: queue
 * - the count of reservations drifts: inconsistencies, quotas; test/model/histories
 * - an entry of the history is lost: history
 * - a Redis that died comes back without its data: loss, history, leases, linearizability, quotas, sessions,
 *   exclusion
 */

export interface Mistake {
  readonly name: string;
  /** What the service does wrong. */
  readonly what: string;
  /** Below the root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** A fault that it shows after. */
  readonly fault?: string;
}

/** Lua that is true once in so many times, by the clock of Redis. */
const once = (times: number): string => `tonumber(redis.call('TIME')[2]) % ${times} == 0`;

export const MISTAKES: readonly Mistake[] = [
  {
    name: 'repeat-again',
    what: 'every 5th repeat with an Idempotency-Key is carried out again',
    file: 'lua/frame/idempotency.lua',
    find: 'if not stored then',
    replace: `if not stored or ${once(5)} then`,
  },
  {
    name: 'overtake',
    what: 'every 31st request overtakes: nothing is kept from it',
    file: 'lua/waiting/keeping.lua',
    find: 'if keeping.judged.isExcused then',
    replace: `if keeping.judged.isExcused or ${once(31)} then`,
  },
  {
    name: 'given-away',
    what: 'a name that is held is given to the next caller, 1 of 50',
    file: 'lua/reservations/reserve.lua',
    find: 'if tenant.queue or own or not isJoined and slotMap.recordAt(resource) then',
    replace: `if tenant.queue or own or not isJoined and slotMap.recordAt(resource) and not (${once(50)}) then`,
  },
  {
    name: 'pool-too-large',
    what: 'a pool has one slot more than its capacity',
    file: 'lua/reservations/plan.lua',
    find: 'elseif freeSlots.heldOf(resource) + (entry.count or 1) > own.capacity then',
    replace:
      'elseif freeSlots.heldOf(resource) == own.capacity and own.capacity > 1 then\n    return pools.slotAt(resource, own.capacity), true\n' +
      '  elseif freeSlots.heldOf(resource) + (entry.count or 1) > own.capacity then',
  },
  {
    name: 'token-twice',
    what: 'a fencing token is used again, 1 of 50',
    file: 'lua/reservations/reserve.lua',
    find: 'tenant.fence = math.max(tenant.fence + 1, clock.nowUs())',
    replace: `tenant.fence = ${once(50)} and tenant.fence or math.max(tenant.fence + 1, clock.nowUs())`,
  },
  {
    name: 'lease-early',
    what: 'a lease ends 400 ms early, 1 of 10',
    file: 'lua/reservations/reserve.lua',
    find: 'and 0 or clock.nowMs() + item.ttlMs, token',
    replace: `and 0 or clock.nowMs() + item.ttlMs - (${once(10)} and 400 or 0), token`,
  },
  {
    name: 'wrong-token',
    what: 'a release with a wrong token is accepted, 1 of 5',
    file: 'lua/reservations/unreserve.lua',
    find: 'if not admission.mayForce(reservation.owner) then',
    replace: `if ${once(5)} then\n      item.token = reservation.token\n    elseif not admission.mayForce(reservation.owner) then`,
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
    find: 'thisMinute, today = thisMinute + cost, today + cost',
    replace: `thisMinute, today = thisMinute + (${once(4)} and 0 or cost), today + cost`,
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
    find: "events.listed[#events.listed + 1] = event .. '}'",
    replace: `if not (${once(50)}) then events.listed[#events.listed + 1] = event .. '}' end`,
  },
  {
    name: 'event-doubled',
    what: 'an event is sent twice, 1 of 50',
    file: 'lua/events/events.lua',
    find: "events.listed[#events.listed + 1] = event .. '}'",
    replace: `events.listed[#events.listed + 1] = event .. '}'; if ${once(50)} then events.listed[#events.listed + 1] = event .. '}' end`,
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
    file: 'lua/frame/commit.lua',
    find: 'stored[hotField.COUNT], stored[hotField.FENCE] = tenant.count,',
    replace: `stored[hotField.COUNT], stored[hotField.FENCE] = tenant.count + (${once(40)} and 1 or 0),`,
  },
  {
    name: 'history-lost',
    what: 'what ended is not written to the history, 1 of 50',
    file: 'lua/frame/commit.lua',
    find: 'if history.past then\n    writePast()',
    replace: `if history.past and not (${once(50)}) then\n    writePast()`,
  },
  {
    name: 'read-wrong',
    what: 'a resource that is held is told to be free, 1 of 5',
    file: 'lua/verbs/definitions/available.lua',
    find: 'availability.hasFreeSlot(naming.resolve(args[i])) and 1 or 0',
    replace: `(availability.hasFreeSlot(naming.resolve(args[i])) or ${once(5)}) and 1 or 0`,
  },
  {
    name: 'half-a-transaction',
    what: 'an ALL_OR_NONE that fails keeps what it did, 1 of 3',
    file: 'lua/verbs/reservations/transaction.lua',
    find: "undoAll(request)\n  reply[3] = 'ROLLED_BACK'",
    replace: `if not (${once(3)}) then undoAll(request) end\n  reply[3] = 'ROLLED_BACK'`,
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
    name: 'not-woken',
    what: 'a caller that waits is not told of its grant, 1 of 3',
    file: 'src/waiting/tenantCalls.ts',
    find: 'const noted = call.takeGranted();',
    replace: 'const noted = call.takeGranted();\n    if (Math.random() < 0.3) return;',
  },
];
