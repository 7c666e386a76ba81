// Made by `npm run generate`. Do not edit.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ReserveItem: {
            /**
             * @description Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out.
             * @example worker-1
             */
            requester: string;
            /**
             * @description The name of the resource.
             * @example printer
             */
            resource?: string;
            /**
             * @description Labels that the resource must have, instead of `resource`: any resource that fits is taken. An array: one of these values. `not`: none of these.
             * @example {
             *       "os": "android",
             *       "size": [
             *         "l",
             *         "xl"
             *       ],
             *       "site": {
             *         "not": "berlin"
             *       }
             *     }
             */
            match?: {
                [key: string]: string | string[] | {
                    not: string | string[];
                };
            };
            /**
             * @description The lease, in seconds. Without it the reservation never expires, unless the tenant has a default lease.
             * @example 30
             */
            ttlSeconds?: number;
            /**
             * @description Of a bookable resource: the lease may be cut to the start of the next booking if so many seconds are left. Default `ttlSeconds`.
             * @example 10
             */
            minTtlSeconds?: number;
            /**
             * Format: uuid
             * @description The reservation lasts as long as this session of its requester. Instead of `ttlSeconds`.
             * @example 0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11
             */
            session?: string;
            /**
             * @description A tag of your choice, repeated in events. Default `UserDefined`.
             * @example Device
             */
            resourceType?: string;
            /**
             * @description Why it is reserved, for people: the purpose, a link to the build.
             * @example nightly build, https://ci.example.com/4711
             */
            note?: string;
            /**
             * @description How many slots of a pool to take, all of them or none. Default 1. Each counts as one item.
             * @example 3
             */
            count?: number;
            /**
             * @description SHARED: others may hold it SHARED too, and nobody EXCLUSIVE. Default EXCLUSIVE.
             * @enum {string}
             */
            mode?: "EXCLUSIVE" | "SHARED";
            /**
             * @description The condition that the slot must have. Without it: ready. `dirty` is for those who clean, `out` for those who repair: it needs the right `define`.
             * @enum {string}
             */
            condition?: "dirty" | "out";
            /**
             * @description How long to wait if it cannot be had now, in seconds. 0 or absent: not at all.
             * @example 60
             */
            waitSeconds?: number;
            /**
             * @description Higher is served first. Default 0. With a derived token at most what its registration allows.
             * @example 0
             */
            priority?: number;
            /**
             * @description How long the place in the queue is kept after a call ended, and how long a reservation waits for its caller once its turn has come. Default 10.
             * @example 10
             */
            claimSeconds?: number;
        };
        ReserveResult: {
            /** @description The name that was asked for. With a `match`: the resource that was picked. */
            resource: string;
            /** @description The requester of the item. */
            requester: string;
            /**
             * @description ACQUIRED and ALREADY_HAD: the requester holds it.
             * @enum {string}
             */
            status: "ACQUIRED" | "ALREADY_HAD" | "WAITING" | "ALREADY_HELD" | "NOT_AVAILABLE" | "NOT_VALID";
            /**
             * @description The status again, or the status and a reason: for people.
             * @example ACQUIRED
             */
            explanation: string;
            /**
             * Format: uuid
             * @description Releases and renews the reservation. Null: there is none, or it was a dry run.
             */
            releaseToken: string | null;
            /**
             * Format: date-time
             * @description When the lease ends. Null: never, or it is not held.
             * @example 2026-01-31T12:00:30.000Z
             */
            expiresAt: string | null;
            /** @description Only of a bookable resource: the seconds that are left of the lease, if that ends sooner than asked. */
            ttlSeconds?: number;
            /**
             * Format: date-time
             * @description Only if a booking is in the way: the latest end of a lease that would do.
             * @example 2026-01-31T12:00:30.000Z
             */
            bookedFrom?: string;
            /** @description The slot that it has of each pool: of the resource itself, and of its ancestors. Null: of none. */
            acquiredSlots: {
                [key: string]: string;
            } | null;
            /** @description What is taken along, as slots: its blockers and their ancestors. Null: nothing. */
            acquiredBlockers: string[] | null;
            /** @description The ancestors and the resource itself, joined by `>`. Null: it has no ancestors. */
            reservedAtPath: string | null;
            /**
             * @description Left out if the request did not say it and the reservation is EXCLUSIVE.
             * @enum {string}
             */
            mode?: "EXCLUSIVE" | "SHARED";
            /** @description Only with a `count` of more than 1: its slots of the pool, in the order of their numbers. */
            slots?: string[];
            /**
             * @description The attributes of the resource and of the slot. Left out if it has none, or if it is not held.
             * @example {
             *       "hub": "10.0.0.7",
             *       "serial": "A1"
             *     }
             */
            attributes?: {
                [key: string]: string;
            };
            /** @description With several slots: the attributes of each of `slots`. */
            slotAttributes?: {
                [key: string]: string;
            }[];
            /**
             * Format: uuid
             * @description The booking that the reservation is the running time of.
             */
            booking?: string;
            /** @description Grows with every ACQUIRED of the tenant. */
            fencingToken: number | null;
            /** @description How long the item waited until it was ACQUIRED. Only with `waitSeconds`. */
            waitedMs?: number;
            /** @description Who holds it, if one certain slot was in the way. Left out if any slot of a pool would do. */
            heldBy?: {
                /** @description What is held: the resource itself, a slot, an ancestor or a blocker. */
                resource: string;
                /** @description The holder. Null: it is held as a blocker of another resource, or SHARED. */
                requester: string | null;
                /**
                 * Format: date-time
                 * @description Null, as the next two, if it is held along with another resource.
                 * @example 2026-01-31T12:00:30.000Z
                 */
                since: string | null;
                /**
                 * Format: date-time
                 * @description When the lease of its holder ends. Null: never.
                 * @example 2026-01-31T12:00:30.000Z
                 */
                expiresAt: string | null;
                /** @description The `note` of its holder. */
                note: string | null;
            };
            /** @description Only with the status WAITING: send the same request again. */
            waiting?: {
                /**
                 * @description How many requests are ahead of it at `waitsFor`.
                 * @example 2
                 */
                ahead: number;
                /**
                 * @description The first thing that it needs and cannot have yet.
                 * @example printer
                 */
                waitsFor: string;
                /**
                 * Format: date-time
                 * @description When the wait began.
                 * @example 2026-01-31T12:00:30.000Z
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description The wait ends then. A repeat after that begins a new wait.
                 * @example 2026-01-31T12:00:30.000Z
                 */
                until: string;
                /** @description Who is in the way. Left out if a request waits for too much at once. */
                reason?: {
                    /**
                     * @description What is taken: slots of the resource itself, of an ancestor, or of a blocker. BOOKING: it is free, and booked. QUEUE: it is free, and kept for those who wait.
                     * @enum {string}
                     */
                    kind: "SLOTS" | "ANCESTOR" | "BLOCKER" | "BOOKING" | "QUEUE";
                    /** @description The resource or slot that is taken. */
                    resource: string;
                    /** @description Who holds it: the first few slots. Of a BOOKING: who has booked it, from `since` to `until`. */
                    holders: {
                        /** @description Who holds it: never a system requester. */
                        requester: string;
                        /** @description What it asked for: perhaps something that takes `slot` along. Null, as the times: not known. */
                        resource: string | null;
                        /** @description The slot that is in the way. */
                        slot: string;
                        /**
                         * Format: date-time
                         * @description When it was reserved.
                         * @example 2026-01-31T12:00:30.000Z
                         */
                        since: string | null;
                        /**
                         * Format: date-time
                         * @description When the lease ends. Null, with `since`: never.
                         * @example 2026-01-31T12:00:30.000Z
                         */
                        until: string | null;
                        /** @description The `note` of the reservation. */
                        note: string | null;
                    }[];
                    /** @description How many of its slots are held besides. */
                    more: number;
                    /** @description The first few who wait for it, in the order of the queue; of a request that waits: those before it. */
                    next: {
                        /** @description Who waits. */
                        requester: string;
                        /**
                         * Format: date-time
                         * @description When the wait began.
                         * @example 2026-01-31T12:00:30.000Z
                         */
                        since: string;
                        /**
                         * Format: date-time
                         * @description The wait ends then.
                         * @example 2026-01-31T12:00:30.000Z
                         */
                        until: string;
                        /** @description The first `note` among the items of the request. */
                        note: string | null;
                    }[];
                };
            };
        };
        UnreserveItem: {
            /**
             * @description Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out.
             * @example worker-1
             */
            requester: string;
            /**
             * @description The name of the resource.
             * @example printer
             */
            resource: string;
            /**
             * @description The token that the reserve call returned.
             * @example 3f6c0b5e-6f0a-4c3e-9a55-0d1c7a2b9e11
             */
            releaseToken?: string;
            /**
             * @description The condition of its slots from now on. Slots that are out of service stay so, unless the reservation asked for `out`.
             * @enum {string}
             */
            condition?: "ready" | "dirty" | "out";
            /**
             * @description Why, for people.
             * @example display dark
             */
            reason?: string;
            /** @description With `condition`: the slots that get it. Default: all slots of the reservation. */
            slots?: string[];
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            status?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            explanation?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            expiresAt?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            acquiredSlots?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            acquiredBlockers?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            reservedAtPath?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            mode?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            attributes?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            slotAttributes?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            fencingToken?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            waitedMs?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            waiting?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            heldBy?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            ttlSeconds?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            bookedFrom?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            booking?: unknown;
        };
        UnreserveResult: {
            /** @description The name that was asked for. With a `match`: the resource that was picked. */
            resource: string;
            /** @description The requester of the item. */
            requester: string;
            /**
             * @description RELINQUISHED: it was released. NOT_RESERVED: nobody held it.
             * @enum {string}
             */
            status: "RELINQUISHED" | "NOT_RESERVED" | "DOESNT_OWN_RESERVATION";
            /**
             * @description The status again, or the status and a reason: for people.
             * @example RELINQUISHED
             */
            explanation: string;
            /** @description The slots that became free. */
            released: string[] | null;
            /**
             * @description Only if slots of the resource are not ready now: `out` if one of them is out of service, else `dirty`.
             * @enum {string}
             */
            condition?: "dirty" | "out";
        };
        RenewItem: {
            /**
             * @description Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out.
             * @example worker-1
             */
            requester: string;
            /**
             * @description The name of the resource.
             * @example printer
             */
            resource: string;
            /**
             * @description The token that the reserve call returned.
             * @example 3f6c0b5e-6f0a-4c3e-9a55-0d1c7a2b9e11
             */
            releaseToken?: string;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            status?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            explanation?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            expiresAt?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            acquiredSlots?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            acquiredBlockers?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            reservedAtPath?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            mode?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            attributes?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            slotAttributes?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            fencingToken?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            waitedMs?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            waiting?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            heldBy?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            bookedFrom?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            booking?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            slots?: unknown;
            /**
             * @description The new lease, in seconds from now.
             * @example 30
             */
            ttlSeconds: number;
            /**
             * @description Of a bookable resource: the lease may be cut to the start of the next booking if so many seconds are left. Default `ttlSeconds`.
             * @example 10
             */
            minTtlSeconds?: number;
        };
        RenewResult: {
            /** @description The name that was asked for. With a `match`: the resource that was picked. */
            resource: string;
            /** @description The requester of the item. */
            requester: string;
            /**
             * @description NOT_AVAILABLE: a booking begins before the new lease would end, and the lease stays as it is. With any other status but RENEWED, the requester does not hold it.
             * @enum {string}
             */
            status: "RENEWED" | "NOT_AVAILABLE" | "NOT_RESERVED" | "DOESNT_OWN_RESERVATION";
            /**
             * @description The status again, or the status and a reason: for people.
             * @example RENEWED
             */
            explanation: string;
            /**
             * Format: date-time
             * @description When the lease ends now. Null: never, or it is not held.
             * @example 2026-01-31T12:00:30.000Z
             */
            expiresAt: string | null;
            /** @description Only of a bookable resource: the seconds that are left of the lease, if that ends sooner than asked. */
            ttlSeconds?: number;
            /**
             * Format: date-time
             * @description Only if a booking is in the way: the latest end of a lease that would do.
             * @example 2026-01-31T12:00:30.000Z
             */
            bookedFrom?: string;
            /**
             * Format: uuid
             * @description The booking that the reservation is the running time of.
             */
            booking?: string;
        };
        Transaction: {
            /**
             * @description `ALL_OR_NONE`: all items or nothing. `AS_MANY_AS_POSSIBLE`: each item on its own. `FIRST`: the first item that succeeds.
             * @enum {string}
             */
            method: "ALL_OR_NONE" | "AS_MANY_AS_POSSIBLE" | "FIRST";
            requests: components["schemas"]["TransactionRequest"][];
            /**
             * Format: uuid
             * @description Stands for the same `session` on each RESERVE.
             * @example 0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11
             */
            session?: string;
            /**
             * @description How long to wait if it cannot be had now, in seconds. 0 or absent: not at all.
             * @example 60
             */
            waitSeconds?: number;
            /**
             * @description Higher is served first. Default 0. With a derived token at most what its registration allows.
             * @example 0
             */
            priority?: number;
            /**
             * @description How long the place in the queue is kept after a call ended, and how long a reservation waits for its caller once its turn has come. Default 10.
             * @example 10
             */
            claimSeconds?: number;
        };
        TransactionRequest: {
            /**
             * @description What the item does.
             * @enum {string}
             */
            requestType: "RESERVE";
            /**
             * @description Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out.
             * @example worker-1
             */
            requester: string;
            /**
             * @description The name of the resource.
             * @example printer
             */
            resource?: string;
            /**
             * @description Labels that the resource must have, instead of `resource`: any resource that fits is taken. An array: one of these values. `not`: none of these.
             * @example {
             *       "os": "android",
             *       "size": [
             *         "l",
             *         "xl"
             *       ],
             *       "site": {
             *         "not": "berlin"
             *       }
             *     }
             */
            match?: {
                [key: string]: string | string[] | {
                    not: string | string[];
                };
            };
            /**
             * @description The lease, in seconds. Without it the reservation never expires, unless the tenant has a default lease.
             * @example 30
             */
            ttlSeconds?: number;
            /**
             * @description Of a bookable resource: the lease may be cut to the start of the next booking if so many seconds are left. Default `ttlSeconds`.
             * @example 10
             */
            minTtlSeconds?: number;
            /**
             * Format: uuid
             * @description The reservation lasts as long as this session of its requester. Instead of `ttlSeconds`.
             * @example 0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11
             */
            session?: string;
            /**
             * @description A tag of your choice, repeated in events. Default `UserDefined`.
             * @example Device
             */
            resourceType?: string;
            /**
             * @description Why it is reserved, for people: the purpose, a link to the build.
             * @example nightly build, https://ci.example.com/4711
             */
            note?: string;
            /**
             * @description How many slots of a pool to take, all of them or none. Default 1. Each counts as one item.
             * @example 3
             */
            count?: number;
            /**
             * @description SHARED: others may hold it SHARED too, and nobody EXCLUSIVE. Default EXCLUSIVE.
             * @enum {string}
             */
            mode?: "EXCLUSIVE" | "SHARED";
            /**
             * @description The condition that the slot must have. Without it: ready. `dirty` is for those who clean, `out` for those who repair: it needs the right `define`.
             * @enum {string}
             */
            condition?: "dirty" | "out";
            /** @description Refused: it stands beside `method`. */
            waitSeconds?: unknown;
            /** @description Refused: it stands beside `method`. */
            priority?: unknown;
            /** @description Refused: it stands beside `method`. */
            claimSeconds?: unknown;
        } | {
            /**
             * @description What the item does.
             * @enum {string}
             */
            requestType: "UNRESERVE";
            /**
             * @description Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out.
             * @example worker-1
             */
            requester: string;
            /**
             * @description The name of the resource.
             * @example printer
             */
            resource: string;
            /**
             * @description The token that the reserve call returned.
             * @example 3f6c0b5e-6f0a-4c3e-9a55-0d1c7a2b9e11
             */
            releaseToken?: string;
            /**
             * @description The condition of its slots from now on. Slots that are out of service stay so, unless the reservation asked for `out`.
             * @enum {string}
             */
            condition?: "ready" | "dirty" | "out";
            /**
             * @description Why, for people.
             * @example display dark
             */
            reason?: string;
            /** @description With `condition`: the slots that get it. Default: all slots of the reservation. */
            slots?: string[];
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            status?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            explanation?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            expiresAt?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            acquiredSlots?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            acquiredBlockers?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            reservedAtPath?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            mode?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            attributes?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            slotAttributes?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            fencingToken?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            waitedMs?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            waiting?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            heldBy?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            ttlSeconds?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            bookedFrom?: unknown;
            /** @description Ignored, so that a result of a reserve call can be sent as it is. */
            booking?: unknown;
            /** @description Refused: it stands beside `method`. */
            waitSeconds?: unknown;
            /** @description Refused: it stands beside `method`. */
            priority?: unknown;
            /** @description Refused: it stands beside `method`. */
            claimSeconds?: unknown;
        };
        TransactionResult: {
            /**
             * @description `ALL_OR_NONE`: all items or nothing. `AS_MANY_AS_POSSIBLE`: each item on its own. `FIRST`: the first item that succeeds.
             * @enum {string}
             */
            method: "ALL_OR_NONE" | "AS_MANY_AS_POSSIBLE" | "FIRST";
            /**
             * @description ROLLED_BACK: nothing has changed.
             * @enum {string}
             */
            status: "APPLIED" | "WAITING" | "ROLLED_BACK";
            /** @description A result for each item, as of a reserve or an unreserve. Of items that are not kept: NOT_AVAILABLE. */
            results: (components["schemas"]["ReserveResult"] | components["schemas"]["UnreserveResult"] | components["schemas"]["UndoneUnreserveResult"])[];
        };
        UndoneUnreserveResult: {
            /** @description The name that was asked for. With a `match`: the resource that was picked. */
            resource: string;
            /** @description The requester of the item. */
            requester: string;
            /** @enum {string} */
            status: "NOT_AVAILABLE";
            /**
             * @description The status again, or the status and a reason: for people.
             * @example RELINQUISHED
             */
            explanation: string;
            /** @description The slots that became free. */
            released: string[] | null;
            /**
             * @description Only if slots of the resource are not ready now: `out` if one of them is out of service, else `dirty`.
             * @enum {string}
             */
            condition?: "dirty" | "out";
        };
        CheckItem: {
            /**
             * @description The name of the resource.
             * @example printer
             */
            resource: string;
            /**
             * @description Who asks: `heldByRequester` and `reservable` are about this requester.
             * @example worker-1
             */
            requester?: string;
        };
        CheckResult: {
            /** @description The name that was asked about. */
            resource: string;
            /** @description True if no slot of the resource is free and ready. */
            reserved: boolean;
            /** @description The owner, if the resource has one slot. Null if several hold it SHARED. */
            requester: string | null;
            /** @description True if the requester of the item holds it. Null if the item names no requester. */
            heldByRequester: boolean | null;
            /**
             * Format: date-time
             * @description When the reservation of this requester ends, else that of the one owner.
             * @example 2026-01-31T12:00:30.000Z
             */
            expiresAt: string | null;
            /** @description The number of requests that wait for it. */
            waiting: number;
            /** @description The `note` of the request that made the reservation. */
            note?: string;
            /** @description Whether a reserve of it would succeed now, with some lease: by the requester of the item, or by a new one if it names none. Null if the request asks about too much. */
            reservable: boolean | null;
            /**
             * Format: date-time
             * @description From when on it is booked for others than the requester. Of a pool: the latest of its free slots, or that of the slot that the requester holds. Left out: never.
             * @example 2026-01-31T12:00:30.000Z
             */
            bookedFrom?: string;
            /**
             * @description Only if the resource has one slot, and it is held SHARED.
             * @enum {string}
             */
            mode?: "SHARED";
            /** @description Who is in the way, if `reservable` is false. Left out if the request asks about too much. */
            reason?: {
                /**
                 * @description What is taken: slots of the resource itself, of an ancestor, or of a blocker. BOOKING: it is free, and booked. QUEUE: it is free, and kept for those who wait.
                 * @enum {string}
                 */
                kind: "SLOTS" | "ANCESTOR" | "BLOCKER" | "BOOKING" | "QUEUE";
                /** @description The resource or slot that is taken. */
                resource: string;
                /** @description Who holds it: the first few slots. Of a BOOKING: who has booked it, from `since` to `until`. */
                holders: {
                    /** @description Who holds it: never a system requester. */
                    requester: string;
                    /** @description What it asked for: perhaps something that takes `slot` along. Null, as the times: not known. */
                    resource: string | null;
                    /** @description The slot that is in the way. */
                    slot: string;
                    /**
                     * Format: date-time
                     * @description When it was reserved.
                     * @example 2026-01-31T12:00:30.000Z
                     */
                    since: string | null;
                    /**
                     * Format: date-time
                     * @description When the lease ends. Null, with `since`: never.
                     * @example 2026-01-31T12:00:30.000Z
                     */
                    until: string | null;
                    /** @description The `note` of the reservation. */
                    note: string | null;
                }[];
                /** @description How many of its slots are held besides. */
                more: number;
                /** @description The first few who wait for it, in the order of the queue; of a request that waits: those before it. */
                next: {
                    /** @description Who waits. */
                    requester: string;
                    /**
                     * Format: date-time
                     * @description When the wait began.
                     * @example 2026-01-31T12:00:30.000Z
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description The wait ends then.
                     * @example 2026-01-31T12:00:30.000Z
                     */
                    until: string;
                    /** @description The first `note` among the items of the request. */
                    note: string | null;
                }[];
            };
            /**
             * @description Only of a single slot that is not ready: dirty, or out of service.
             * @enum {string}
             */
            condition?: "dirty" | "out";
            /** @description Only with `condition`: why, if somebody said so. */
            conditionReason?: string;
            /** @description Only with `mode`: how many requesters hold it. */
            holders?: number;
        };
        CancelItem: {
            /**
             * @description Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out.
             * @example worker-1
             */
            requester: string;
            /**
             * @description The name of the resource. Of a `match`: the `resource` of the result that said WAITING.
             * @example printer
             */
            resource: string;
        };
        CancelResult: {
            /** @description The resource of the item. */
            resource: string;
            /** @description The requester of the item. */
            requester: string;
            /**
             * @description NOT_WAITING: there was no wait to end. The requester may hold it, if a response was lost.
             * @enum {string}
             */
            status: "CANCELLED" | "NOT_WAITING";
        };
        ActiveReservation: {
            /** @description The name that was asked for. With a `match`: the resource that was picked. */
            resource: string;
            /** @description Who holds it. */
            requester: string;
            /** @description The tag of the request. */
            resourceType: string;
            /**
             * Format: date-time
             * @description When it was reserved.
             * @example 2026-01-31T12:00:30.000Z
             */
            reservedAt: string;
            /**
             * Format: date-time
             * @description When the lease ends. Null: never.
             * @example 2026-01-31T12:00:30.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When it ends if the caller that waited for it does not get the response. Null: the caller has it.
             * @example 2026-01-31T12:00:30.000Z
             */
            claimBy: string | null;
            /** @description The slot that it has of each pool: of the resource itself, and of its ancestors. Null: of none. */
            acquiredSlots: {
                [key: string]: string;
            } | null;
            /** @description What is taken along, as slots: its blockers and their ancestors. Null: nothing. */
            acquiredBlockers: string[] | null;
            /** @description The ancestors and the resource itself, joined by `>`. Null: it has no ancestors. */
            reservedAtPath: string | null;
            /**
             * @description Left out if the request did not say it and the reservation is EXCLUSIVE.
             * @enum {string}
             */
            mode?: "EXCLUSIVE" | "SHARED";
            /** @description Only with a `count` of more than 1: its slots of the pool, in the order of their numbers. */
            slots?: string[];
            /** @description Grows with every ACQUIRED of the tenant. */
            fencingToken: number;
            /** @description The label of the API key that made the request. Null: the key has none, or there was no key. */
            apiKeyLabel: string | null;
            /** @description The `note` of the request that made the reservation. */
            note?: string;
            /**
             * @description The condition that it asked for. Left out: ready.
             * @enum {string}
             */
            condition?: "dirty" | "out";
            /**
             * Format: uuid
             * @description The session that it lasts as long as.
             */
            session?: string;
            /**
             * Format: uuid
             * @description The booking that the reservation is the running time of.
             */
            booking?: string;
        };
        WaitingRequest: {
            /** @description Who waits. */
            requester: string;
            /** @description What the request names, in its order. */
            resources: string[];
            /** @description The `count` of each of `resources`: how many slots it asks for. */
            counts: number[];
            /** @description The `condition` of each of `resources`: which slots it asks for. Left out: all `ready`. */
            conditions?: ("ready" | "dirty" | "out")[];
            /**
             * @description The longest lease that it asks for. Null: that of a session.
             * @example 3600
             */
            ttlSeconds: number | null;
            /**
             * @description Null: a reserve item.
             * @enum {string|null}
             */
            method: "ALL_OR_NONE" | "AS_MANY_AS_POSSIBLE" | "FIRST" | null;
            /** @description Higher is served first. */
            priority: number;
            /**
             * Format: date-time
             * @description When the wait began.
             * @example 2026-01-31T12:00:30.000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description The wait ends then.
             * @example 2026-01-31T12:00:30.000Z
             */
            until: string;
            /** @description The first thing that it needed and could not have, when the service looked last. */
            waitsFor: string;
            /** @description False: it is detached (`pollSeconds=0`), or passed over until its caller comes back. */
            attended: boolean;
            /** @description The label of the API key that made the request. Null: the key has none, or there was no key. */
            apiKeyLabel: string | null;
            /** @description The first `note` among its items. */
            note?: string;
            /** @description Who holds what it waits for. */
            reason?: {
                /**
                 * @description What is taken: slots of the resource itself, of an ancestor, or of a blocker. BOOKING: it is free, and booked. QUEUE: it is free, and kept for those who wait.
                 * @enum {string}
                 */
                kind: "SLOTS" | "ANCESTOR" | "BLOCKER" | "BOOKING" | "QUEUE";
                /** @description The resource or slot that is taken. */
                resource: string;
                /** @description Who holds it: the first few slots. Of a BOOKING: who has booked it, from `since` to `until`. */
                holders: {
                    /** @description Who holds it: never a system requester. */
                    requester: string;
                    /** @description What it asked for: perhaps something that takes `slot` along. Null, as the times: not known. */
                    resource: string | null;
                    /** @description The slot that is in the way. */
                    slot: string;
                    /**
                     * Format: date-time
                     * @description When it was reserved.
                     * @example 2026-01-31T12:00:30.000Z
                     */
                    since: string | null;
                    /**
                     * Format: date-time
                     * @description When the lease ends. Null, with `since`: never.
                     * @example 2026-01-31T12:00:30.000Z
                     */
                    until: string | null;
                    /** @description The `note` of the reservation. */
                    note: string | null;
                }[];
                /** @description How many of its slots are held besides. */
                more: number;
                /** @description The first few who wait for it, in the order of the queue; of a request that waits: those before it. */
                next: {
                    /** @description Who waits. */
                    requester: string;
                    /**
                     * Format: date-time
                     * @description When the wait began.
                     * @example 2026-01-31T12:00:30.000Z
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description The wait ends then.
                     * @example 2026-01-31T12:00:30.000Z
                     */
                    until: string;
                    /** @description The first `note` among the items of the request. */
                    note: string | null;
                }[];
            };
        };
        Cleared: {
            /** @description The number of reservations that ended. */
            cleared: number;
        };
        NewSession: {
            /**
             * @description Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out.
             * @example worker-1
             */
            requester: string;
            /**
             * @description How long the session lasts after it began or was renewed, in seconds.
             * @example 30
             */
            ttlSeconds: number;
        };
        BegunSession: {
            /**
             * Format: uuid
             * @description Names the session in other calls.
             */
            session: string;
            /**
             * Format: uuid
             * @description Needed to renew and to end the session.
             */
            token: string;
            /**
             * Format: date-time
             * @description When it ends if nobody renews it.
             * @example 2026-01-31T12:00:30.000Z
             */
            expiresAt: string;
        };
        RenewedSession: {
            /**
             * @description NOT_FOUND: it has ended, or the token is wrong.
             * @enum {string}
             */
            status: "RENEWED" | "NOT_FOUND";
            /**
             * Format: date-time
             * @description When it ends now. Null: there is none.
             * @example 2026-01-31T12:00:30.000Z
             */
            expiresAt: string | null;
        };
        EndedSession: {
            /**
             * @description NOT_FOUND: it has ended, or the token is wrong.
             * @enum {string}
             */
            status: "ENDED" | "NOT_FOUND";
            /** @description The number of reservations that ended with it. */
            released: number;
        };
        SessionProof: {
            /**
             * Format: uuid
             * @description The id of a session.
             * @example 0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11
             */
            session: string;
            /**
             * @description The token of the session.
             * @example b6e2d0a4-58c0-4c4e-9b57-2f7d9a1c6e03
             */
            token?: string;
        };
        Session: {
            /**
             * Format: uuid
             * @description Names the session in other calls.
             */
            session: string;
            /** @description Whose session it is. */
            requester: string;
            /** @description How long it lasts after a renewal, in seconds. */
            ttlSeconds: number;
            /**
             * Format: date-time
             * @description When it began.
             * @example 2026-01-31T12:00:30.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it ends if nobody renews it.
             * @example 2026-01-31T12:00:30.000Z
             */
            expiresAt: string;
            /** @description The number of its reservations. */
            holds: number;
            /** @description The label of the API key that made the request. Null: the key has none, or there was no key. */
            apiKeyLabel: string | null;
        };
        BookingItem: {
            /**
             * @description The name of the resource.
             * @example printer
             */
            resource?: string;
            /**
             * @description Labels that the resource must have, instead of `resource`: any resource that fits is taken. An array: one of these values. `not`: none of these.
             * @example {
             *       "os": "android",
             *       "size": [
             *         "l",
             *         "xl"
             *       ],
             *       "site": {
             *         "not": "berlin"
             *       }
             *     }
             */
            match?: {
                [key: string]: string | string[] | {
                    not: string | string[];
                };
            };
            /**
             * @description Who makes the reservation: a name of your choice, unique to each worker. A derived token may leave it out.
             * @example worker-1
             */
            requester: string;
            /**
             * Format: date-time
             * @description When it begins: from now to 366 days ahead. Up to 60 s ago means now.
             * @example 2026-11-24T09:00:00Z
             */
            start: string;
            /**
             * Format: date-time
             * @description When it ends: at least 60 s after its start.
             * @example 2026-11-24T09:00:00Z
             */
            end: string;
            /**
             * @description Why it is reserved, for people: the purpose, a link to the build.
             * @example nightly build, https://ci.example.com/4711
             */
            note?: string;
            /**
             * @description A tag of your choice, repeated in events. Default `UserDefined`.
             * @example Device
             */
            resourceType?: string;
            /** @description It ends if its requester has not reserved it so long after its start. */
            claimWithinSeconds?: number;
            /** @description A series of such bookings. */
            repeat?: {
                /**
                 * @description How often it comes.
                 * @enum {string}
                 */
                every: "day" | "week";
                /** @description Its weekdays in its zone. Default: that of `start`; with `day`, all. */
                on?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                /**
                 * Format: date
                 * @description The last day in its zone, included.
                 * @example 2026-12-24
                 */
                until: string;
                /**
                 * @description An IANA time zone.
                 * @example Europe/Berlin
                 */
                timeZone: string;
            };
        };
        BookResult: {
            /**
             * @description BOOKED: all of them; with `skipConflicts`, at least one.
             * @enum {string}
             */
            status: "BOOKED" | "CONFLICT" | "NOT_VALID";
            /** @description One for each item, and for each occurrence of a series. */
            bookings: components["schemas"]["BookedItem"][];
        };
        BookedItem: {
            /**
             * Format: uuid
             * @description Names it in other calls. Null: it was not booked.
             */
            booking: string | null;
            /**
             * Format: uuid
             * @description The series that it belongs to. Left out: none.
             */
            series?: string;
            /**
             * @description ROLLED_BACK: another one of the call was not booked.
             * @enum {string}
             */
            status: "BOOKED" | "CONFLICT" | "NOT_VALID" | "ROLLED_BACK";
            /**
             * @description The status again, or the status and a reason: for people.
             * @example BOOKED
             */
            explanation: string;
            /** @description Only with the status CONFLICT. */
            conflict?: {
                /**
                 * @description What is in the way: another booking of the slot, or a hold.
                 * @enum {string}
                 */
                kind: "BOOKING" | "HOLD";
                /** @description The slot. Of a pool without a free one: the one that is free soonest. */
                slot: string;
                /** @description Whose it is. Null: it is held SHARED. */
                requester: string | null;
                /**
                 * Format: date-time
                 * @description When it began, or begins.
                 * @example 2026-01-31T12:00:30.000Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description When it ends. Null: never, as things are.
                 * @example 2026-01-31T12:00:30.000Z
                 */
                until: string | null;
                /** @description Its `note`. */
                note: string | null;
            };
            /** @description The resource. With a `match`: the one that was picked. */
            resource: string;
            requester: string;
            /** @description The slot that is booked. Null: none. */
            slot: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T12:00:30.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T12:00:30.000Z
             */
            end: string;
        };
        Booking: {
            /**
             * Format: uuid
             * @description Names the booking in other calls.
             */
            booking: string;
            /**
             * Format: uuid
             * @description The series that it belongs to. Left out: none.
             */
            series?: string;
            resource: string;
            /** @description The slot that is booked. */
            slot: string;
            requester: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T12:00:30.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T12:00:30.000Z
             */
            end: string;
            /**
             * @description DELAYED: its time is running, and no slot could be had for it yet.
             * @enum {string}
             */
            state: "BOOKED" | "RUNNING" | "DELAYED";
            note: string | null;
            resourceType: string;
            /** @description Left out: it need not be claimed. */
            claimWithinSeconds?: number;
            /** @description Only with `claimWithinSeconds`, while it runs. */
            isClaimed?: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             * @example 2026-01-31T12:00:30.000Z
             */
            bookedAt: string;
            /** @description Who booked it, if that was not its requester. */
            bookedBy: string | null;
            /** @description The label of the API key that made the request. Null: the key has none, or there was no key. */
            apiKeyLabel: string | null;
        };
        CancelledBookings: {
            /** @description The number of bookings that ended. */
            cancelled: number;
        };
        Registration: {
            /**
             * @description The name of the resource.
             * @example printers
             */
            name: string;
            /**
             * @description The number of slots. Default 1.
             * @example 3
             */
            capacity?: number | null;
            /**
             * @description Resources that are acquired along with this one.
             * @example [
             *       "ink"
             *     ]
             */
            blocks?: string[] | null;
            /**
             * @description The ancestors, from the root down.
             * @example House>Floor1
             */
            treePath?: string | null;
            /** @description Whether it only groups what is below it: a folder without slots. Absent, this stays as it is. */
            group?: boolean | null;
            /**
             * @description Describes the resource, as key and value. Absent, its labels stay as they are; {} removes them.
             * @example {
             *       "os": "android"
             *     }
             */
            labels?: {
                [key: string]: string;
            };
            /** @description Whether missing ancestors are registered as groups, instead of with capacity 1. */
            groups?: boolean | null;
            /**
             * @description The condition of its slots after a reservation. `dirty`: somebody must clean them first. Absent, this stays as it is; at first `ready`.
             * @enum {string|null}
             */
            afterUse?: "ready" | "dirty" | null;
            /**
             * @description What those who hold it need, such as its address. Stored in clear: no place for passwords. Absent, they stay as they are; {} removes them.
             * @example {
             *       "hub": "10.0.0.7"
             *     }
             */
            attributes?: {
                [key: string]: string;
            };
            /**
             * @description The attributes of each slot of a pool, in order. Absent, they stay as they are; [] removes them.
             * @example [
             *       {
             *         "serial": "A1"
             *       },
             *       {
             *         "serial": "B2"
             *       }
             *     ]
             */
            slotAttributes?: {
                [key: string]: string;
            }[];
            /** @description Whether its slots can be booked for a time ahead. Absent, this stays as it is; at first false. Set it once all instances of the service know it. */
            bookable?: boolean | null;
            /** @description Ignored, so that a definition can be registered again as it is listed. */
            outOfService?: unknown;
            /** @description Ignored, so that a definition can be registered again as it is listed. */
            dirty?: unknown;
        };
        Definition: {
            /** @description The name of the resource. */
            name: string;
            /** @description The number of slots; null for a group. */
            capacity: number | null;
            /** @description Resources that are taken along with this one. */
            blocks: string[];
            /** @description The ancestors, from the root down; null for a root. */
            treePath: string | null;
            /** @description True for a group; left out for others. */
            group?: boolean;
            /**
             * @description Its labels; left out if it has none.
             * @example {
             *       "os": "android"
             *     }
             */
            labels?: {
                [key: string]: string;
            };
            /**
             * @description The condition of its slots after a reservation; left out if that is `ready`.
             * @enum {string}
             */
            afterUse?: "ready" | "dirty";
            /** @description Its attributes; left out if it has none, or without the right `define`. */
            attributes?: {
                [key: string]: string;
            };
            /** @description The attributes of its slots; left out as `attributes`. */
            slotAttributes?: {
                [key: string]: string;
            }[];
            /** @description True if its slots can be booked; left out for others. */
            bookable?: boolean;
            /** @description The number of slots that are out of service; left out if none is. */
            outOfService?: number;
            /** @description The number of slots that are dirty; left out if none is. */
            dirty?: number;
        };
        TreeNode: {
            /** @description The name of the resource. */
            name: string;
            /**
             * @description From the root down, its own name included.
             * @example House>Floor1
             */
            path: string;
            /** @description The number of slots; null for a group. */
            capacity: number | null;
            /** @description Slots that are free and ready; null for a group. */
            available: number | null;
            /** @description The number of requests that wait for it. */
            waiting: number;
            /**
             * @description True for a group; left out for others.
             * @enum {boolean}
             */
            group?: true;
            /**
             * @description Its labels; left out if it has none.
             * @example {
             *       "os": "android"
             *     }
             */
            labels?: {
                [key: string]: string;
            };
            /** @description The number of slots that are out of service; left out if none is. */
            outOfService?: number;
            /** @description The number of slots that are dirty; left out if none is. */
            dirty?: number;
            /**
             * Format: date-time
             * @description From when on it is booked: of a pool, the latest of its free slots. Left out: never.
             * @example 2026-01-31T12:00:30.000Z
             */
            bookedFrom?: string;
            /** @description The resources below it, of the same shape. */
            children: components["schemas"]["TreeNode"][];
        };
        ConditionItem: {
            /**
             * @description A slot, or a registered resource: of a pool, all its slots.
             * @example printer
             */
            resource: string;
            /**
             * @description The condition that it gets.
             * @enum {string}
             */
            condition: "ready" | "dirty" | "out";
            /**
             * @description Why, for people.
             * @example display dark
             */
            reason?: string;
        };
        ConditionResult: {
            /** @description The resource of the item. */
            resource: string;
            /**
             * @description The condition of the item.
             * @enum {string}
             */
            condition: "ready" | "dirty" | "out";
            /**
             * @description CHANGED: at least one slot had another condition.
             * @enum {string}
             */
            status: "CHANGED" | "UNCHANGED" | "NOT_VALID";
            /**
             * @description The status again, or the status and a reason: for people.
             * @example CHANGED
             */
            explanation: string;
        };
        Deleted: {
            /** @description The names of the resources that were deleted. */
            deleted: string[];
        };
        Event: {
            /**
             * @description What happened. It is the name of the event, too.
             * @enum {string}
             */
            type: "RESERVED" | "RENEWED" | "UNRESERVED" | "RESERVATION_EXPIRED" | "RESERVE_FAILED" | "UNRESERVE_FAILED" | "TRANSACTION_APPLIED" | "TRANSACTION_ROLLED_BACK" | "WAITING" | "WAIT_ENDED" | "RESET" | "CONDITION" | "TIER_LIMIT_REACHED" | "ENDS_SOON" | "WANTED" | "BOOKED" | "BOOKING_CHANGED" | "BOOKING_CANCELLED" | "BOOKING_DELAYED";
            /** @description The id of the tenant. */
            tenantId: string;
            /** @description The name that was reserved. Of failures and waits, the name that was asked for, or the text of a match. Of CONDITION, the slot. Null: the event is about no single resource. */
            resource: string | null;
            /** @description The requester of the item. */
            requester: string | null;
            /**
             * @description The status that the request got. Of CONDITION: `ready`, `dirty` or `out`.
             * @example ACQUIRED
             */
            explanation: string | null;
            /** @description The tag of the reservation. */
            resourceType: string | null;
            /** @description The label of the API key that made the request. Null: the key has none, or there was no key. */
            apiKeyLabel: string | null;
            /**
             * @description Who did it: UNRESERVED, RESET, CONDITION and bookings only. null: it happened by itself.
             * @example person:someone@example.com
             */
            actor: string | null;
            /**
             * @description The kind of request that caused it.
             * @enum {string|null}
             */
            requestType: "RESERVE" | "UNRESERVE" | "RENEW" | "TRANSACTION" | "EXPIRE" | "RESET" | "WAIT" | "SESSION" | "READ" | "CONNECT" | "CONDITION" | "BOOK" | null;
            /**
             * Format: date-time
             * @description The time of the change.
             * @example 2026-01-31T12:00:30.000Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @description End of the lease. null: the reservation has none.
             * @example 2026-01-31T12:00:30.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description RESERVED only, of a grant that has to be claimed: until when.
             * @example 2026-01-31T12:00:30.000Z
             */
            claimBy?: string;
            /** @description The slot that the reservation has of each pool. */
            acquiredSlots: {
                [key: string]: string;
            } | null;
            /** @description Only if the reservation has several slots of a pool: all of them, in the order of their numbers. */
            slots?: string[];
            /**
             * @description Only if the reservation is SHARED.
             * @enum {string}
             */
            mode?: "SHARED";
            /** @description The fencing token of the reservation. */
            fencingToken: number | null;
            /** @description Only of a reservation whose request had a `note`. */
            note?: string;
            /** @description WANTED only: the number of tickets that wait for it. */
            waiting?: number;
            /**
             * Format: uuid
             * @description Bookings only: its id.
             */
            booking?: string;
            /**
             * Format: date-time
             * @description Bookings only: when it begins.
             * @example 2026-01-31T12:00:30.000Z
             */
            start?: string;
            /**
             * Format: date-time
             * @description Bookings only: when it ends.
             * @example 2026-01-31T12:00:30.000Z
             */
            end?: string;
            /** @description CONDITION only: why. null: nobody said so. */
            reason?: string | null;
            /** @description CONDITION only, of a slot that is booked and goes out of service or comes back: the first of its bookings that have not begun. */
            booked?: {
                /** @description Whose booking it is. */
                requester: string;
                /**
                 * Format: date-time
                 * @description When it begins.
                 * @example 2026-01-31T12:00:30.000Z
                 */
                start: string;
                /**
                 * Format: date-time
                 * @description When it ends.
                 * @example 2026-01-31T12:00:30.000Z
                 */
                end: string;
            }[];
            /**
             * @description Transactions only.
             * @enum {string|null}
             */
            method: "ALL_OR_NONE" | "AS_MANY_AS_POSSIBLE" | "FIRST" | null;
            /** @description Transactions only: the result of each of its requests, in order. */
            changes: {
                /** @description The resource of the item. */
                resource: string;
                /** @description The requester of the item. */
                requester: string;
                /**
                 * @description What the item does.
                 * @enum {string}
                 */
                requestType: "RESERVE" | "UNRESERVE";
                /** @description The status that the item got. */
                explanation: string;
                /**
                 * @description Who released it: only with RELINQUISHED.
                 * @example person:someone@example.com
                 */
                actor?: string;
                /**
                 * Format: date-time
                 * @description End of the lease. null: the reservation has none.
                 * @example 2026-01-31T12:00:30.000Z
                 */
                expiresAt?: string | null;
                /** @description The slot that the reservation has of each pool. */
                acquiredSlots?: {
                    [key: string]: string;
                } | null;
                /** @description Only if the reservation has several slots of a pool: all of them, in the order of their numbers. */
                slots?: string[];
                /**
                 * @description Only if the reservation is SHARED.
                 * @enum {string}
                 */
                mode?: "SHARED";
                /** @description The fencing token of the reservation. */
                fencingToken?: number | null;
                /** @description Only of a reservation whose request had a `note`. */
                note?: string;
            }[] | null;
            /**
             * @description TIER_LIMIT_REACHED only.
             * @enum {string|null}
             */
            limitType: "OperationsPerMinute" | "ReadsPerMinute" | "OperationsPerDay" | "ConcurrentReservations" | "Bookings" | "EventConnections" | "ApiKeys" | "Notices" | "ResourceDefinitions" | "StoredBytes" | null;
            /** @description TIER_LIMIT_REACHED only. */
            limit: number | null;
        };
        Failure: {
            /** @description What is wrong, for people. */
            error: string;
            code: components["schemas"]["FailureCode"];
            /**
             * @description Only with UPGRADE_REQUIRED: a higher tier has it.
             * @enum {boolean}
             */
            upgradeRequired?: true;
        };
        /**
         * @description Identifies the failure. It stays the same when the message changes.
         * @enum {string}
         */
        FailureCode: "MALFORMED_REQUEST" | "UNKNOWN_FIELD" | "INVALID_HOST" | "REFUSED" | "UNAUTHENTICATED" | "FORBIDDEN" | "UPGRADE_REQUIRED" | "INVALID_RELEASE_TOKEN" | "PATH_NOT_FOUND" | "NOT_REGISTERED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "BODY_TIMEOUT" | "BODY_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "LIMIT_REACHED" | "IDEMPOTENCY_MISMATCH" | "REQUEST_RUNNING" | "RESPONSE_NOT_KEPT" | "INTERNAL" | "OVERLOADED" | "UNAVAILABLE" | "NOT_CONFIGURED";
        LimitReached: {
            /** @description What is wrong, for people. */
            error: string;
            code: components["schemas"]["FailureCode"];
            /** @description The tier of the tenant. Null: the limit depends on no tier. */
            tier: string | null;
            /** @description The limit that is reached. */
            limit: number;
            /** @description Seconds to wait. */
            retryAfter: number;
            /** @description True if a higher tier would have allowed the request. */
            upgradeRequired: boolean;
            /**
             * @description Which limit is reached.
             * @example EventConnections
             */
            limitType: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
