/**
 * API keys: their labels, when they were last used, and making, showing, rotating and deleting them
 * (docs/specification.md#identity).
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { lastUses } from '../../engine/tenant/activity.ts';
import { digestOf } from '../../identity/credentials.ts';
import { keyDigests, listKeys, sealedKey } from '../../store/keys.ts';
import { callApi, type Failed } from '../callApi.ts';
import { Confirm } from '../components/confirm.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { Scroll } from '../components/scroll.tsx';
import { Secret } from '../components/secret.tsx';
import { Time } from '../components/time.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readForm } from '../form.ts';
import { originOf } from '../origin.ts';

const AT = '/dashboard/keys';

/** A key as this page lists it. */
interface ListedKey {
  /** null: it comes from the configuration */
  readonly id: string | null;
  readonly label: string | null;
  readonly isDefault: boolean;
  readonly createdAt: Date | null;
  readonly rotatedAt: Date | null;
  /** ms since 1970 UTC; undefined: never, or not lately */
  readonly usedAtMs: number | undefined;
}

const Id = z.object({ id: z.string() });
const Made = z.object({ id: z.string() });

export const keysRoutes = (deps: DashboardDeps) => {
  const { engine, tenants, configuredKeys } = deps;

  const list = async (tenant: string): Promise<ListedKey[]> => {
    const uses = await lastUses(engine.redis, tenant);
    if (tenants === null)
      return configuredKeys
        .filter((one) => one.tenant === tenant)
        .map(({ key, label }) => ({
          id: null,
          label: label ?? null,
          isDefault: false,
          createdAt: null,
          rotatedAt: null,
          usedAtMs: uses.get(digestOf(key)),
        }));
    const [rows, digests] = await Promise.all([listKeys(tenants.store, tenant), keyDigests(tenants.store, tenant)]);
    return rows.map((row) => ({ ...row, usedAtMs: uses.get(digests.get(row.id) ?? '') }));
  };

  /** The value of the key that the address asks for. */
  const shown = async (c: Context<DashboardEnv>): Promise<string | null> => {
    const id = z.uuid().safeParse(c.req.query('show')).data;
    if (tenants === null || id === undefined) return null;
    return tenants.sealer.open(await sealedKey(tenants.store, c.var.viewer.credential.tenant, id));
  };

  const show = async (c: Context<DashboardEnv>, failed?: Failed) => {
    const { viewer } = c.var;
    const { tenant } = viewer.credential;
    const [keys, value] = await Promise.all([list(tenant), shown(c)]);
    const label = keys.find(({ id }) => id !== null && id === c.req.query('show'))?.label;
    return c.html(
      <Page title="Keys" viewer={viewer} at={AT} done={c.req.query('done')} failed={failed}>
        {value !== null && (
          <section aria-labelledby="shown-title">
            <h2 id="shown-title">{label ? `Key ${label}` : 'Key'}</h2>
            <Secret value={value} origin={originOf(deps, c)} />
          </section>
        )}
        <KeyTable keys={keys} />
        {tenants === null ? (
          <NeedsDatabase what="Making, rotating and deleting keys" />
        ) : (
          <form method="post" action={AT} class="fields">
            <h2>Make a key</h2>
            <label>
              Label (optional) <input name="label" maxlength={64} autocomplete="off" />
            </label>
            <p class="hint">It is in every event that the key causes: worker, staging, …</p>
            <button type="submit">Make a key</button>
          </form>
        )}
      </Page>,
      failed?.status ?? 200,
    );
  };

  const idOf = async (c: Context<DashboardEnv>) => encodeURIComponent((await readForm(c, Id)).id);

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(AT, async (c) => {
      const { label } = await c.req.parseBody();
      const body = typeof label === 'string' && label !== '' ? { label } : {};
      const reply = await callApi(deps, c, 'POST', '/api/v1/Tenant/keys', body);
      return reply.ok ? c.redirect(`${AT}?done=created&show=${Made.parse(reply.body).id}`, 303) : show(c, reply);
    })
    .post(`${AT}/rotate`, async (c) => {
      const id = await idOf(c);
      const reply = await callApi(deps, c, 'POST', `/api/v1/Tenant/keys/${id}/rotate`);
      return reply.ok ? c.redirect(`${AT}?done=rotated&show=${id}`, 303) : show(c, reply);
    })
    .post(`${AT}/delete`, async (c) => {
      const reply = await callApi(deps, c, 'DELETE', `/api/v1/Tenant/keys/${await idOf(c)}`);
      return reply.ok ? c.redirect(`${AT}?done=deleted`, 303) : show(c, reply);
    });
};

const nameOf = ({ label, isDefault }: ListedKey) => label ?? (isDefault ? 'default' : 'without a label');

const KeyTable = ({ keys }: { keys: readonly ListedKey[] }) => (
  <Scroll label="API keys">
    <table>
      <thead>
        <tr>
          <th scope="col">Label</th>
          <th scope="col">Made (UTC)</th>
          <th scope="col">Rotated (UTC)</th>
          <th scope="col">Last used (UTC)</th>
          <th scope="col">What to do</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr>
            <th scope="row">{nameOf(key)}</th>
            <td>
              <Time at={key.createdAt} />
            </td>
            <td>
              <Time at={key.rotatedAt} />
            </td>
            <td>
              <Time at={key.usedAtMs} none="not yet" />
            </td>
            <td>{key.id !== null && <KeyActions id={key.id} name={nameOf(key)} isDefault={key.isDefault} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

const KeyActions = ({ id, name, isDefault }: { id: string; name: string; isDefault: boolean }) => (
  <div class="buttons">
    <a class="button" href={`${AT}?show=${id}`}>
      Show<span class="out-of-sight"> {name}</span>
    </a>{' '}
    <Confirm
      id={`rotate-${id}`}
      label="Rotate"
      about={name}
      question={`Give the key “${name}” a new value? The old one is refused from that moment on.`}
      action={`${AT}/rotate`}
      fields={{ id }}
    />{' '}
    {!isDefault && (
      <Confirm
        id={`delete-${id}`}
        label="Delete"
        about={name}
        question={`Delete the key “${name}”? It is refused from that moment on.`}
        action={`${AT}/delete`}
        fields={{ id }}
      />
    )}
  </div>
);
