/**
 * No script keeps Redis busy for long where a pool has very many bookings (docs/specification.md#bookings).
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { book, bookings, cancelBookings, type EngineBooking } from '../../src/engine/bookings.ts';
import { keysOf } from '../../src/redis/keys.ts';
import { runScript } from '../../src/redis/scripts.ts';
import { registerBookable } from '../support/bookable.ts';
import { setClock } from '../support/clock.ts';
import { all } from '../support/listed.ts';
import { reserve, reset } from '../support/verbs.ts';
import { MAX_MS } from './hog/scriptTimes.ts';
import { range, running, times, useHog } from './hog/state.ts';
