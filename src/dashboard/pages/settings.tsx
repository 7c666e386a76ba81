/**
 * What a tenant decides for itself: whether only what is registered may be reserved, and whose JWTs its users may exchange for tokens.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type Issuer, listIssuers } from '../../store/issuers.ts';
import { readTenant } from '../../store/tenants.ts';
import { callApi, type Failed } from '../callApi.ts';
import { Confirm } from '../components/confirm.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { Scroll } from '../components/scroll.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readForm } from '../form.ts';

const AT = '/dashboard/settings';

const IssuerForm = z.object({ issuer: z.string(), audience: z.string(), jwksUrl: z.string().default('') });

export const settingsRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;

  const show = async (c: Context<DashboardEnv>, failed?: Failed, typed?: z.infer<typeof IssuerForm>) => {
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
    const [{ requireRegistration }, issuers] = await Promise.all([
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
          <p>Your users may exchange JWTs of these for tokens that act for them alone. From tier Starter on.</p>
          <IssuerTable issuers={issuers} />
        </section>
        <form method="post" action={`${AT}/issuers`} class="fields">
          <h3>Register an issuer</h3>
          <label>
            Issuer <input name="issuer" required maxlength={512} value={typed?.issuer} autocomplete="off" />
          </label>
          <label>
            Audience <input name="audience" required maxlength={512} value={typed?.audience} autocomplete="off" />
          </label>
          <label>
            Address of its keys (JWKS){' '}
            <input type="url" name="jwksUrl" required maxlength={512} value={typed?.jwksUrl} autocomplete="off" />
          </label>
          <button type="submit">Register the issuer</button>
        </form>
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
      const issuer = await readForm(c, IssuerForm);
      const reply = await callApi(deps, c, 'PUT', '/api/v1/Tenant/issuers', issuer);
      return reply.ok ? c.redirect(`${AT}?done=saved`, 303) : show(c, reply, issuer);
    })
    .post(`${AT}/issuers/delete`, async (c) => {
      const { issuer, audience } = await readForm(c, IssuerForm);
      const query = new URLSearchParams({ issuer, audience });
      const reply = await callApi(deps, c, 'DELETE', `/api/v1/Tenant/issuers?${query}`);
      return reply.ok ? c.redirect(`${AT}?done=deleted`, 303) : show(c, reply);
    });
};

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
                  question="Forget this issuer? Its JWTs are refused from that moment on; tokens that were exchanged already live on until they end."
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
