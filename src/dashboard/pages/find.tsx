/**
 * The palette as a page: resources, people, actions and pages by a part of their names
 * (docs/specification.md#dashboard-and-sign-in). With `part` it is only the list, for the dialog.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { readTerms } from '../../engine/tenant/record.ts';
import { FIND, FoundList } from '../components/findParts.tsx';
import { Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { findPeople, findResources } from '../find/findResources.ts';
import { optionsOf, termOf } from '../find/options.ts';
import { readQuery, searched } from '../form.ts';
import { requestersOf } from '../people.ts';
import { needs } from '../viewer.ts';
import { zoneOf } from '../zone.ts';

const Query = z.object({ q: searched, part: z.string().optional() });

export const findRoutes = ({ engine }: DashboardDeps) =>
  new Hono<DashboardEnv>().use(FIND, needs('read')).get(FIND, async (c) => {
    const { viewer } = c.var;
    const { credential, user } = viewer;
    const { q, part } = readQuery(c, Query);
    const term = termOf(q);
    const requesters = requestersOf(user);
    const [terms, resources, people] = await Promise.all([
      readTerms(engine, credential),
      term === '' ? [] : findResources(engine, credential, term, requesters),
      term === '' ? [] : findPeople(engine, credential, term),
    ]);
    const groups = optionsOf(viewer, q, { resources, people }, terms, zoneOf(c));
    if (part !== undefined) return c.html(<FoundList groups={groups} isDialog />);
    return c.html(
      <Page title="Search or jump" viewer={viewer}>
        <search>
          <form class="search" action={FIND}>
            <label>
              <span class="out-of-sight">Search or jump</span>
              <input type="search" name="q" value={q} maxlength={256} placeholder="Search or jump to…" autofocus />
            </label>
            <button type="submit" class="primary">
              Search
            </button>
          </form>
        </search>
        <div class="found">
          <FoundList groups={groups} isDialog={false} />
        </div>
      </Page>,
    );
  });
