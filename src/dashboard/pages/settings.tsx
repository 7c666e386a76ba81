/**
 * The page of a tenant's settings: what its reservations must keep to, the highest priority of waiting requests, and
 * the issuers whose JWTs can be exchanged for tokens.
 */
import { type Context, Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { z } from 'zod';
import { MAX_BOOKINGS_PER_REQUESTER } from '../../domain/bookings.ts';
import { durationOf, durationText } from '../../domain/durations.ts';
import { ownAudience } from '../../domain/names.ts';
import type { Registration } from '../../domain/registrations.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../domain/tenants.ts';
import { DEFAULT_PRIORITY, MAX_PRIORITY } from '../../domain/waiting.ts';
import { deleteIssuer, putIssuer } from '../../operations/issuers.ts';
import { changeSettings } from '../../operations/tenant.ts';
import { listIssuers } from '../../store/issuers.ts';
import { readTenant, type Tenant } from '../../store/tenants.ts';
import { countEnding } from '../actions/endedWaits.ts';
import {
  asRegistration,
  checkbox,
  IssuerFields,
  IssuerForm,
  presetOf,
  type TypedIssuer,
  typedOf,
} from '../components/issuerForm.tsx';
import { IssuerTable } from '../components/issuerTable.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, NO_DATABASE, readForm, refuseField } from '../form.ts';
import { DeleteIssuerQuery, issuerSchema, settingsSchema } from '../formSchemas.ts';
import { backTo, CHANGES } from '../paths.ts';
import { may } from '../viewer.ts';
import { number } from '../words/numbers.ts';

const AT = '/dashboard/settings';

/** A length as people type it, in s: `30m`, `2h`, also a number of seconds. Left empty it means none. */
const length = z
  .string()
  .transform((text) => text.replace(/\s/g, ''))
  .transform((text) => (text === '' ? null : (durationOf(text) ?? Number(text))))
  .optional();
const SettingsFields = z.object({
  requireRegistration: checkbox,
  maxPriority: z.coerce.number().optional(),
  defaultTtlSeconds: length,
  maxTtlSeconds: length,
  requireNote: checkbox,
  holdersReport: checkbox,
  endsSoonSeconds: length,
  maxBookingSeconds: length,
  bookingsPerRequester: z.coerce.number().optional(),
});
const Id = z.object({ id: z.string() });

export const settingsRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;
  const settings = tenants && { ...deps, ...tenants };
  const Change = settingsSchema(deps);
  const NewIssuer = issuerSchema(tenants?.allowPrivateJwks ?? false);

  const show = async (c: Context<DashboardEnv>, failed?: Failed, typed?: TypedIssuer) => {
    const { viewer } = c.var;
    const { tenant } = viewer.credential;
    const common = { viewer, done: c.req.query('done'), failed };
    if (tenants === null) return c.html(<PageWithoutDatabase {...common} />, failed?.status ?? 200);
    const withNotes = { requireNote: true };
    const [stored, issuers, noteless] = await Promise.all([
      readTenant(tenants.store, tenant),
      listIssuers(tenants.store, tenant),
      countEnding(deps.engine, viewer.credential, DEFAULT_SETTINGS, withNotes).catch(() => 0),
    ]);
    const edited = issuers.find(({ id }) => id === c.req.query('edit'));
    const begun = edited === undefined ? presetOf(c.req.query('preset'), ownAudience(tenant)) : typedOf(edited);
    const props = { stored, issuers, noteless, typed: typed ?? begun, ...common };
    return c.html(<SettingsPage {...props} />, failed?.status ?? 200);
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(AT, async (c) => {
      if (settings === null) return show(c, NO_DATABASE);
      const form = await readForm(c, SettingsFields);
      const saved = await attempt(deps, c, async () => {
        for (const [field, value] of Object.entries(form))
          if (Number.isNaN(value)) refuseField(field, 'write a length such as 30m, 2h or 1d');
        const change = check(Change, form);
        const { credential } = c.var.viewer;
        const before = await readTenant(settings.store, credential.tenant);
        // To count them is worth no failure.
        const ended = await countEnding(deps.engine, credential, before, change).catch(() => 0);
        await changeSettings(settings, c.var.viewer, change);
        return ended;
      });
      if (!saved.ok) return show(c, saved);
      const said = saved.result === 0 ? { done: 'saved' } : { done: 'savedEnded', count: String(saved.result) };
      return c.redirect(backTo(AT, said), 303);
    })
    .post(`${AT}/issuers`, async (c) => {
      const typed = await readForm(c, IssuerForm);
      if (settings === null) return show(c, NO_DATABASE, typed);
      const saved = await attempt(deps, c, async () => {
        const one = check(NewIssuer, asRegistration(typed));
        const known = await listIssuers(settings.store, c.var.viewer.credential.tenant);
        if (!typed.isChange && known.some(({ id }) => id === one.id))
          refuseField('id', 'another issuer has this id: edit it, or choose another id');
        return putIssuer(settings, c.var.viewer, one);
      });
      return saved.ok ? c.redirect(`${AT}?done=saved`, 303) : show(c, saved, typed);
    })
    .post(`${AT}/issuers/delete`, async (c) => {
      const form = await readForm(c, Id);
      if (settings === null) return show(c, NO_DATABASE);
      const deleted = await attempt(deps, c, async () =>
        deleteIssuer(settings, c.var.viewer, check(DeleteIssuerQuery, form).id),
      );
      return deleted.ok ? c.redirect(`${AT}?done=deleted`, 303) : show(c, deleted);
    });
};

interface CommonProps {
  readonly viewer: Viewer;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
}

const PageWithoutDatabase = (props: CommonProps) => (
  <Page title="Settings" at={AT} {...props}>
    <NeedsDatabase what="For settings and JWT issuers" />
    <p>
      Here any name may be reserved, and JWT issuers come from <code>JWT_ISSUERS</code>.
    </p>
  </Page>
);

interface SettingsProps extends CommonProps {
  readonly stored: Tenant;
  readonly issuers: readonly Registration[];
  /** How many wait without a note. */
  readonly noteless: number;
  readonly typed: TypedIssuer;
}

const SettingsPage = ({ stored, issuers, noteless, typed, ...common }: SettingsProps) => {
  const { tenant } = common.viewer.credential;
  return (
    <Page title="Settings" at={AT} head={{ actions: <ChangesLink viewer={common.viewer} /> }} {...common}>
      <SettingsForm stored={stored} noteless={noteless} />
      <section class="card pad define" aria-labelledby="issuers-title">
        <h2 id="issuers-title">JWT issuers</h2>
        <p>
          CI jobs and your users exchange JWTs of these issuers for tokens that act for one requester only. A JWT with
          the audience <code>{ownAudience(tenant)}</code>, which only you can register, needs nothing else. With any
          other audience the request must name the tenant: <code>{`{"jwt": "…", "tenant": "${tenant}"}`}</code>.
        </p>
        <IssuerTable at={AT} issuers={issuers} />
        {stored.tier === 'Free' ? (
          <p class="hint">Tier Free has no token exchange. Issuers can be registered from tier Starter on.</p>
        ) : (
          <IssuerFields at={AT} typed={typed} />
        )}
      </section>
      <form method="post" action={`${AT}/delete-tenant`} class="fields">
        <h2>Delete this tenant</h2>
        <p>
          Everything ends at once, for everybody: reservations, keys, tokens, members, settings and definitions. Nothing
          can be undone. The audit trail stays.
        </p>
        <label>
          <span>
            Type <code>{tenant}</code> to confirm
          </span>
          <input name="confirm" autocomplete="off" required />
        </label>
        <button type="submit" class="danger">
          Delete this tenant
        </button>
      </form>
    </Page>
  );
};

const ChangesLink = ({ viewer }: { viewer: Viewer }) =>
  may(viewer, 'audit') ? (
    <a class="button" href={`${CHANGES}?action=settings.change`}>
      Who changed what
    </a>
  ) : null;

const SettingsForm = ({ stored, noteless }: { stored: Settings; noteless: number }) => (
  <form method="post" action={AT} class="fields">
    <h2>Reservations</h2>
    <p class="hint">Write lengths as 30m, 2h or 1d.</p>
    <label class="check">
      <input type="checkbox" name="requireRegistration" checked={stored.requireRegistration} /> Only registered
      resources may be reserved
    </label>
    <label class="check">
      <input type="checkbox" name="requireNote" checked={stored.requireNote} /> Reservations must have a note. When this
      is saved, those who wait without a note lose their place
      {noteless > 0 && `: ${number(noteless)} now`}
    </label>
    <label class="check">
      <input type="checkbox" name="holdersReport" checked={stored.holdersReport} /> Holders may take something out of
      service when they release it. Otherwise it is to be cleaned
    </label>
    <Length name="defaultTtlSeconds" seconds={stored.defaultTtlSeconds} label="Lease of reservations that ask for none">
      Empty: they never expire
    </Length>
    <Length name="maxTtlSeconds" seconds={stored.maxTtlSeconds} label="Longest lease">
      Empty: any lease, or none. Requests that wait for a longer one, or for none, end when this is saved
    </Length>
    <Length name="endsSoonSeconds" seconds={stored.endsSoonSeconds} isRequired label="Announce the end of a lease">
      So long before it. 0: never
    </Length>
    <label>
      Highest priority of waiting requests{' '}
      <input
        type="number"
        name="maxPriority"
        required
        min={DEFAULT_PRIORITY}
        max={MAX_PRIORITY}
        value={stored.maxPriority}
      />
    </label>
    <h2>Bookings</h2>
    <Length name="maxBookingSeconds" seconds={stored.maxBookingSeconds} isRequired label="Longest booking" />
    <label>
      How many bookings that have not begun a requester may have{' '}
      <input
        type="number"
        name="bookingsPerRequester"
        required
        min={0}
        max={MAX_BOOKINGS_PER_REQUESTER}
        value={stored.bookingsPerRequester}
      />
    </label>
    <button type="submit">Save</button>
  </form>
);

interface LengthProps {
  readonly name: keyof Settings;
  readonly label: string;
  /** null: none */
  readonly seconds: number | null;
  readonly isRequired?: boolean;
  /** What else there is to say. */
  readonly children?: Child;
}

const Length = ({ name, label, seconds, isRequired, children }: LengthProps) => (
  <label>
    <span>
      {label}
      {children !== undefined && <span class="along">{children}</span>}
    </span>{' '}
    <input
      name={name}
      size={8}
      required={isRequired}
      placeholder="none"
      autocomplete="off"
      value={seconds === null ? '' : durationText(seconds)}
    />
  </label>
);
