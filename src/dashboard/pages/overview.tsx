/**
 * The overview page: the default key, the first steps of a new tenant, the tier and its usage, the last hour, and
 * links.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { lastHour, lastUses, type Minute } from '../../engine/tenant/activity.ts';
import { type Usage, usage } from '../../engine/tenant/usage.ts';
import { rotateKey } from '../../operations/keys.ts';
import { listKeys, showKey } from '../../store/keys.ts';
import { Confirm } from '../components/confirm.tsx';
import { FirstSteps, Reading, type StepsDone } from '../components/firstSteps.tsx';
import { HourChart } from '../components/hourChart.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { LimitsCard } from '../components/limitsCard.tsx';
import { Secret } from '../components/secret.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, NO_DATABASE, readForm } from '../form.ts';
import { KeyParams } from '../formSchemas.ts';
import { originOf } from '../paths.ts';
import { may } from '../viewer.ts';

/** A key as the overview shows it. */
interface DefaultKey {
  /** undefined: nobody asked for it; null: it cannot be shown, since KEY_SECRET has changed. */
  readonly value: string | null | undefined;
  /** null: it comes from the configuration, and cannot be rotated here. */
  readonly id: string | null;
}

const AT = '/dashboard/overview';
const Rotate = z.object({ id: z.string() });

export const overviewRoutes = (deps: DashboardDeps) => {
  const { engine, tenants, configuredKeys } = deps;

  const show = async (c: Context<DashboardEnv>, failed?: Failed) => {
    const { viewer } = c.var;
    const { credential } = viewer;
    const [{ result: used }, minutes, keys] = await Promise.all([
      usage(engine, credential),
      lastHour(engine, credential.tenant),
      tenants === null ? null : listKeys(tenants.store, credential.tenant),
    ]);
    const done = await stepsDone(deps, credential.tenant, used);
    // A page that shows the steps keeps them while it is open, so that the last one turns green too.
    const hasSteps = c.req.query('steps') !== undefined || !(done.key && done.reservation && done.watch);
    // The key is worth more than most roles are.
    const mayUseKeys = may(viewer, 'keys');
    const isShown = c.req.query('show') !== undefined;
    const defaultKey = mayUseKeys ? await defaultKeyOf(deps, viewer, keys, isShown) : null;
    const origin = originOf(deps, c);
    const keyCount = keys?.length ?? configuredKeys.filter(({ tenant }) => tenant === credential.tenant).length;
    return c.html(
      <Page
        title="Overview"
        viewer={viewer}
        at="/dashboard/insight"
        done={c.req.query('done')}
        failed={failed}
        renew={{ from: hasSteps ? `${AT}?steps` : AT, everyS: 10 }}
      >
        <div class="cols">
          <div class="stack">
            {hasSteps && <FirstSteps done={done} origin={origin} keyValue={defaultKey?.value ?? null} />}
            {mayUseKeys && (
              <section class="card" aria-labelledby="key-title">
                <header>
                  <h2 id="key-title">Default key</h2>
                  {defaultKey !== null && <KeyActions defaultKey={defaultKey} />}
                </header>
                <div class="pad">
                  <KeyPart defaultKey={defaultKey} origin={origin} />
                </div>
              </section>
            )}
            <HourPart minutes={minutes} />
          </div>
          <aside class="stack" aria-label="More">
            <LimitsCard usage={used} keys={keyCount} tiers={engine.tiers} tenant={credential.tenant} />
            <Reading />
            {tenants !== null && (
              <div>
                <Confirm
                  id="leave"
                  label="Leave this tenant"
                  question="Leave this tenant? Your sessions in it end. An owner must invite you again if you want to come back."
                  action="/dashboard/leave"
                />
              </div>
            )}
          </aside>
        </div>
      </Page>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post('/dashboard/rotate', async (c) => {
      const { id } = await readForm(c, Rotate);
      if (tenants === null) return show(c, NO_DATABASE);
      const rotated = await attempt(deps, c, () =>
        rotateKey({ ...deps, ...tenants }, c.var.viewer, check(KeyParams, { id }).id),
      );
      return rotated.ok ? c.redirect(`${AT}?done=rotated&show`, 303) : show(c, rotated);
    });
};

/** Entries of the history that are looked at for a release. */
const LOOKED = 20;

/** Finds out which of the first steps a tenant has done. */
async function stepsDone({ engine, history }: DashboardDeps, tenant: string, used: Usage): Promise<StepsDone> {
  const [uses, { entries }] = await Promise.all([
    lastUses(engine, tenant),
    history.page(tenant, {}, undefined, LOOKED),
  ]);
  const endings = new Set(entries.map(({ ending }) => ending));
  return {
    key: uses.size > 0,
    reservation: used.reservations > 0 || entries.some(({ kind }) => kind === 'RESERVATION'),
    watch: used.eventConnections > 0 || endings.has('RELEASED') || endings.has('TAKEN_AWAY'),
  };
}

/**
 * Reads a tenant's default key.
 * @param keys those in the database; null: there is none
 * @param isShown whether the person asked for its value, which the audit trail notes
 */
async function defaultKeyOf(
  { tenants, configuredKeys }: DashboardDeps,
  viewer: Viewer,
  keys: Awaited<ReturnType<typeof listKeys>> | null,
  isShown: boolean,
): Promise<DefaultKey | null> {
  const { tenant } = viewer.credential;
  const stored = keys?.find(({ isDefault }) => isDefault);
  if (tenants !== null && stored !== undefined) {
    if (!isShown) return { value: undefined, id: stored.id };
    const sealed = await showKey(tenants.store, tenant, stored.id, viewer);
    return { value: await tenants.sealer.open(sealed).catch(() => null), id: stored.id };
  }
  const configured = configuredKeys.find((one) => one.tenant === tenant);
  return configured === undefined ? null : { value: isShown ? configured.key : undefined, id: null };
}

const KeyActions = ({ defaultKey: { id, value } }: { defaultKey: DefaultKey }) => (
  <div class="buttons end">
    {value === undefined && (
      <a class="button" href={`${AT}?show`}>
        Show the key
      </a>
    )}
    {id !== null && (
      <Confirm
        id="rotate"
        label="Rotate the key"
        question="Give the default key a new value? The old value stops working immediately, and its event streams end."
        action="/dashboard/rotate"
        fields={{ id }}
      />
    )}
  </div>
);

const KeyPart = ({ defaultKey, origin }: { defaultKey: DefaultKey | null; origin: string }) => {
  if (defaultKey === null) return <p>This tenant has no default key.</p>;
  return (
    <>
      <KeyValue value={defaultKey.value} origin={origin} />
      {defaultKey.id === null && <NeedsDatabase what="To rotate it and create others" />}
    </>
  );
};

const KeyValue = ({ value, origin }: { value: DefaultKey['value']; origin: string }) => {
  if (value === undefined)
    return (
      <p class="meta">
        With it, a program may do everything here. Once shown, it stands in the commands of the first steps, too.
      </p>
    );
  if (value === null)
    return (
      <p>Its value cannot be shown, because KEY_SECRET has changed. It still works. Rotate it to see a new value.</p>
    );
  return <Secret value={value} origin={origin} />;
};

const HourPart = ({ minutes }: { minutes: readonly Minute[] }) => (
  <section class="card" aria-labelledby="hour-title" data-live="hour">
    <header>
      <h2 id="hour-title">The last hour</h2>
    </header>
    <div class="pad">
      <HourChart minutes={minutes} />
    </div>
  </section>
);
