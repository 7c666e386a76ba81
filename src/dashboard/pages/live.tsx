/**
 * The live page: the stream of events, with filters (docs/specification.md#the-stream); and below it what ended before.
 */
import { Hono } from 'hono';
import { EVENT_TYPES } from '../../domain/eventTypes.ts';
import { EventHead, EventTable } from '../components/eventLog.tsx';
import { Page } from '../components/layout.tsx';
import { PastTable } from '../components/pastTable.tsx';
import { FilterField } from '../components/searchForm.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { namesOf } from '../people.ts';
import { EVENT_WORDS } from '../words/noticeWords.ts';

const AT = '/dashboard/activity/live';
const BEFORE = 20;

export const liveRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().get(AT, async (c) => {
    const { viewer } = c.var;
    const { entries } = await deps.history.page(viewer.credential.tenant, {}, undefined, BEFORE);
    const nameOf = await namesOf(
      deps,
      viewer,
      entries.map(({ requester }) => requester),
    );
    return c.html(
      <Page title="Live" viewer={viewer} at={AT} renew={{ from: AT }} script="live.js">
        <form id="filter" class="filters">
          <FilterField name="resource" label="Resource" />
          <FilterField name="requester" label="Who" />
          <button type="button" id="pause" aria-pressed="false">
            Pause
          </button>
          <button type="button" id="clear">
            Clear
          </button>
          <details id="types">
            <summary>Types</summary>
            <fieldset>
              <legend class="out-of-sight">Types</legend>
              {EVENT_TYPES.map((type) => (
                <label class="check">
                  <input type="checkbox" name="type" value={type} checked /> {EVENT_WORDS[type]}
                </label>
              ))}
            </fieldset>
          </details>
        </form>
        <div class="stack">
          <section class="card" aria-labelledby="events-title">
            <EventHead />
            <EventTable />
          </section>
          <section class="card" aria-labelledby="before-title" data-live="before">
            <header>
              <h2 id="before-title">Ended before</h2>
              <a class="end meta" href="/dashboard/activity">
                All history
              </a>
            </header>
            <PastTable label="Latest entries of the history" rows={entries} nameOf={nameOf} isExact />
          </section>
        </div>
      </Page>,
    );
  });
