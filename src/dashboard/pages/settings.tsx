/**
 * What a tenant decides for itself: whether only what is registered may be reserved, and whose JWTs its users may
 * exchange for tokens.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { ownAudience } from '../../domain/issuerNames.ts';
import { type Issuer, listIssuers } from '../../store/issuers.ts';
import { readTenant } from '../../store/tenants.ts';
import { callApi, type Failed } from '../callApi.ts';
import { Confirm } from '../components/confirm.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { Scroll } from '../components/scroll.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readForm } from '../form.ts';

const AT = '/dashboard/settings';

const IssuerFields = z.object({ issuer: z.string(), audience: z.string(), jwksUrl: z.string() });
const IssuerName = IssuerFields.pick({ issuer: true, audience: true });

export const settingsRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;

  const show = async (c: Context<DashboardEnv>, failed?: Failed, typed?: Issuer) => {
    const { viewer } = c.var;
    const { tenant } = viewer.credential;
    const common = { title: 'Settings', viewer, at: AT, done: c.req.query('done'), failed };
    if (tenants === null)
      return c.html(
        <Page {...common}>
          <NeedsDatabase what="Settings and issuers of JWTs" />
          <p>
            Here any name may be reserved, and issuers of JWTs come from <code>JWT_ISSUERS</code>.
          </p>
        </Page>,
        failed?.status ?? 200,
      );
    const [{ requireRegistration, tier }, issuers] = await Promise.all([
      readTenant(tenants.store, tenant),
      listIssuers(tenants.store, tenant),
    ]);
    return c.html(
      <Page {...common}>
        <form method="post" action={AT} class="fields">
          <h2>Registration</h2>
          <label class="check">
            <input type="checkbox" name="requireRegistration" checked={requireRegistration} /> Only what is registered
            may be reserved
          </label>
          <button type="submit">Save</button>
        </form>
        <section aria-labelledby="issuers-title">
          <h2 id="issuers-title">Issuers of JWTs</h2>
          <p>
            Your users exchange JWTs of these issuers for tokens that act for them alone. A JWT with the audience{' '}
            <code>{ownAudience(tenant)}</code>, which only you can register, needs nothing else. With any other audience
            the request has to name the tenant: <code>{`{"jwt": "…", "tenant": "${tenant}"}`}</code>.
          </p>
          <IssuerTable issuers={issuers} />
        </section>
        {tier === 'Free' ? (
          <p class="notice">Tier Free has no token exchange. Issuers are registered from tier Starter on.</p>
        ) : (
          <IssuerForm typed={typed} audience={ownAudience(tenant)} />
        )}
      </Page>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(AT, async (c) => {
      const requireRegistration = (await c.req.parseBody()).requireRegistration !== undefined;
      const reply = await callApi(deps, c, 'PUT', '/api/v1/Tenant/settings', { requireRegistration });
      return reply.ok ? c.redirect(`${AT}?done=saved`, 303) : show(c, reply);
    })
    .post(`${AT}/issuers`, async (c) => {
      const issuer = await readForm(c, IssuerFields);
      const reply = await callApi(deps, c, 'PUT', '/api/v1/Tenant/issuers', issuer);
      return reply.ok ? c.redirect(`${AT}?done=saved`, 303) : show(c, reply, issuer);
    })
    .post(`${AT}/issuers/delete`, async (c) => {
      const { issuer, audience } = await readForm(c, IssuerName);
      const query = new URLSearchParams({ issuer, audience });
      const reply = await callApi(deps, c, 'DELETE', `/api/v1/Tenant/issuers?${query}`);
      return reply.ok ? c.redirect(`${AT}?done=deleted`, 303) : show(c, reply);
    });
};

/** @param props.audience the tenant's own */
const IssuerForm = ({ typed, audience }: { typed: Issuer | undefined; audience: string }) => (
  <form method="post" action={`${AT}/issuers`} class="fields">
    <h3>Register an issuer</h3>
    <label>
      Issuer <input name="issuer" required maxlength={512} value={typed?.issuer} autocomplete="off" />
    </label>
    <label>
      Audience <input name="audience" required maxlength={512} value={typed?.audience ?? audience} autocomplete="off" />
    </label>
    <label>
      Address of its keys (JWKS){' '}
      <input type="url" name="jwksUrl" required maxlength={512} value={typed?.jwksUrl} autocomplete="off" />
    </label>
    <button type="submit">Register the issuer</button>
  </form>
);

const IssuerTable = ({ issuers }: { issuers: readonly Issuer[] }) =>
  issuers.length === 0 ? (
    <p>None.</p>
  ) : (
    <Scroll label="Issuers of JWTs">
      <table>
        <thead>
          <tr>
            <th scope="col">Issuer</th>
            <th scope="col">Audience</th>
            <th scope="col">Address of its keys</th>
            <th scope="col">What to do</th>
          </tr>
        </thead>
        <tbody>
          {issuers.map(({ issuer, audience, jwksUrl }, i) => (
            <tr>
              <td>{issuer}</td>
              <td>{audience}</td>
              <td>{jwksUrl}</td>
              <td>
                <Confirm
                  id={`forget-${i}`}
                  label="Forget"
                  about={`${issuer}, ${audience}`}
                  question="Forget this issuer? Its JWTs are refused from that moment on; tokens that were exchanged for them end."
                  action={`${AT}/issuers/delete`}
                  fields={{ issuer, audience }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
