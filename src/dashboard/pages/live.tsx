/**
 * The live page: the stream of events, with filters; and the newest reservations, read again whenever the stream starts
 * (docs/specification.md#the-stream).
 */
import { Hono } from 'hono';
import { EVENT_TYPES } from '../../contract/events.ts';
import { usage } from '../../engine/tenant/usage.ts';
import { EventTable } from '../components/eventLog.tsx';
import { HeldTable } from '../components/heldTable.tsx';
import { Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { searchReservations } from '../search/searchReservations.ts';

const AT = '/dashboard/activity/live';
const NEWEST = 10;

export const liveRoutes = ({ engine }: DashboardDeps) =>
  new Hono<DashboardEnv>().get(AT, async (c) => {
    const { viewer } = c.var;
    const [held, { result: used }] = await Promise.all([
      searchReservations(engine, viewer.credential, { size: NEWEST }),
      usage(engine, viewer.credential),
    ]);
    return c.html(
      <Page title="Live" viewer={viewer} at={AT} renew={{ from: AT }} script="live.js">
        <p>
          Stream:{' '}
          <strong id="connection" role="status">
            not connected
          </strong>
        </p>
        <form id="filter" class="fields wide">
          <fieldset>
            <legend>Types</legend>
            {EVENT_TYPES.map((type) => (
              <label class="check">
                <input type="checkbox" name="type" value={type} checked /> {type}
              </label>
            ))}
          </fieldset>
          <label>
            Resource <input name="resource" autocomplete="off" placeholder="any" />
          </label>
          <label>
            Requester <input name="requester" autocomplete="off" placeholder="any" />
          </label>
          <p class="buttons">
            <button type="button" id="pause" aria-pressed="false">
              Pause
            </button>{' '}
            <button type="button" id="clear">
              Clear
            </button>
          </p>
        </form>
        <section aria-labelledby="events-title">
          <h2 id="events-title">Events</h2>
          <EventTable />
        </section>
        <section aria-labelledby="held-title" data-live="held">
          <h2 id="held-title">{used.reservations} held, the newest</h2>
          <HeldTable label="Newest reservations" held={held.page} />
        </section>
      </Page>,
    );
  });
