/**
 * The page of API keys: what they are called and may do, and their last use; create, change, show, rotate and delete
 * (docs/specification.md#identity, #restricted-keys).
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { KeyLimits } from '../../domain/tenants.ts';
import type { Tier, TierTable } from '../../domain/tiers.ts';
import { lastUses } from '../../engine/tenant/activity.ts';
import { usage } from '../../engine/tenant/usage.ts';
import { digestOf } from '../../identity/credentials.ts';
import { allKeys, changeKey, createKey, deleteKey, rotateKey } from '../../operations/keys.ts';
import { showKey } from '../../store/keys.ts';
import { Confirm } from '../components/confirm.tsx';
import { Count } from '../components/head.tsx';
import { asKey, KeyFields, KeyForm, MAY, NoMoreKeys, type TypedKey, typedOf } from '../components/keyForm.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { Secret } from '../components/secret.tsx';
import { Scroll } from '../components/tableParts.tsx';
import { When } from '../components/when.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, NO_DATABASE, readForm } from '../form.ts';
import { KeyChange, KeyParams, NewKey } from '../formSchemas.ts';
import { originOf } from '../paths.ts';

const AT = '/dashboard/access/keys';

/** A key as this page lists it. */
interface ListedKey extends KeyLimits {
  /** null: it comes from the configuration */
  readonly id: string | null;
  readonly label: string | null;
  readonly isDefault: boolean;
  readonly createdAt: Date | null;
  readonly rotatedAt: Date | null;
  /** null: not yet, or not lately */
  readonly usedAt: Date | null;
}

const Id = z.object({ id: z.string() });
const ChangeForm = KeyForm.extend({ id: z.string() });

export const keysRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;
  const keys = tenants && { ...deps, ...tenants };

  const show = async (c: Context<DashboardEnv>, failed?: Failed, typed?: TypedKey) => {
    const { viewer } = c.var;
    const [listed, value, tier] = await Promise.all([
      list(deps, viewer.credential.tenant),
      shownKey(deps, c),
      readTier(deps, viewer),
    ]);
    const asked = (parameter: string) => listed.find(({ id }) => id !== null && id === c.req.query(parameter));
    const label = asked('show')?.label;
    return c.html(
      <KeysPage
        viewer={viewer}
        done={c.req.query('done')}
        failed={failed}
        typed={typed}
        keys={listed}
        shown={value === null ? null : { title: label ? `Key ${label}` : 'Key', value, origin: originOf(deps, c) }}
        edited={asked('edit')}
        canChange={keys !== null}
        tier={tier}
        tiers={deps.engine.tiers}
      />,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(AT, async (c) => {
      if (keys === null) return show(c, NO_DATABASE);
      const form = await readForm(c, KeyForm);
      const created = await attempt(deps, c, async () => createKey(keys, c.var.viewer, check(NewKey, asKey(form))));
      return created.ok
        ? c.redirect(`${AT}?done=created&show=${created.result.result.key.id}`, 303)
        : show(c, created, form);
    })
    .post(`${AT}/change`, async (c) => {
      if (keys === null) return show(c, NO_DATABASE);
      const { id: of, ...form } = await readForm(c, ChangeForm);
      const changed = await attempt(deps, c, async () => {
        const { id } = check(KeyParams, { id: of });
        const before = (await list(deps, c.var.viewer.credential.tenant)).find((one) => one.id === id);
        return changeKey(keys, c.var.viewer, id, check(KeyChange, asKey(form, before)));
      });
      return changed.ok ? c.redirect(`${AT}?done=saved`, 303) : show(c, changed);
    })
    .post(`${AT}/rotate`, async (c) => {
      if (keys === null) return show(c, NO_DATABASE);
      const form = await readForm(c, Id);
      const rotated = await attempt(deps, c, async () => rotateKey(keys, c.var.viewer, check(KeyParams, form).id));
      return rotated.ok ? c.redirect(`${AT}?done=rotated&show=${rotated.result.id}`, 303) : show(c, rotated);
    })
    .post(`${AT}/delete`, async (c) => {
      if (keys === null) return show(c, NO_DATABASE);
      const form = await readForm(c, Id);
      const deleted = await attempt(deps, c, async () => deleteKey(keys, c.var.viewer, check(KeyParams, form).id));
      return deleted.ok ? c.redirect(`${AT}?done=deleted`, 303) : show(c, deleted);
    });
};

async function list({ engine, tenants, configuredKeys }: DashboardDeps, tenant: string): Promise<ListedKey[]> {
  if (tenants !== null) return allKeys({ engine, store: tenants.store }, tenant);
  const uses = await lastUses(engine, tenant);
  return configuredKeys
    .filter((one) => one.tenant === tenant)
    .map(({ key, label, permission = 'full', prefix = '', expiresAt = null }) => {
      const usedAtMs = uses.get(digestOf(key));
      const usedAt = usedAtMs === undefined ? null : new Date(usedAtMs);
      return {
        id: null,
        label: label ?? null,
        isDefault: false,
        permission,
        prefix,
        expiresAt,
        createdAt: null,
        rotatedAt: null,
        usedAt,
      };
    });
}

const readTier = async ({ engine }: DashboardDeps, { credential }: Viewer): Promise<Tier> =>
  (await usage(engine, credential)).result.tier;

/** The value of the key that the address asks for; null: none */
async function shownKey({ tenants }: DashboardDeps, c: Context<DashboardEnv>): Promise<string | null> {
  const id = z.uuid().safeParse(c.req.query('show')).data;
  if (tenants === null || id === undefined) return null;
  return tenants.sealer.open(await showKey(tenants.store, c.var.viewer.credential.tenant, id, c.var.viewer));
}

interface KeysPageProps {
  readonly viewer: Viewer;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
  /** The new key that was refused. */
  readonly typed: TypedKey | undefined;
  readonly keys: readonly ListedKey[];
  /** The key whose value is shown. */
  readonly shown: { readonly title: string; readonly value: string; readonly origin: string } | null;
  /** The key that is to be changed; undefined: none */
  readonly edited: ListedKey | undefined;
  readonly canChange: boolean;
  readonly tier: Tier;
  readonly tiers: TierTable;
}

const KeysPage = ({ viewer, done, failed, typed, keys, shown, edited, canChange, ...of }: KeysPageProps) => (
  <Page
    title="Keys"
    head={{ counts: <Count of={keys.length} word={keys.length === 1 ? 'key' : 'keys'} /> }}
    viewer={viewer}
    at={AT}
    done={done}
    failed={failed}
  >
    {shown !== null && (
      <section aria-labelledby="shown-title">
        <h2 id="shown-title">{shown.title}</h2>
        <Secret value={shown.value} origin={shown.origin} />
      </section>
    )}
    <KeyTable keys={keys} />
    {edited?.id && <ChangeKeyForm edited={edited} id={edited.id} />}
    {!canChange ? (
      <NeedsDatabase what="To create, change, rotate and delete keys" />
    ) : keys.length >= (of.tiers[of.tier].apiKeys ?? Number.POSITIVE_INFINITY) ? (
      <NoMoreKeys tenant={viewer.credential.tenant} isAdmin={viewer.standing === 'admin'} {...of} />
    ) : (
      <NewKeyForm typed={typed} />
    )}
  </Page>
);

const NewKeyForm = ({ typed }: Pick<KeysPageProps, 'typed'>) => (
  <form method="post" action={AT} class="fields">
    <h2>Create a key</h2>
    <KeyFields typed={typed} hasLimits />
    <button type="submit">Create a key</button>
  </form>
);

const ChangeKeyForm = ({ edited, id }: { edited: ListedKey; id: string }) => (
  <form method="post" action={`${AT}/change`} class="fields">
    <h2>Change the key “{nameOf(edited)}”</h2>
    <input type="hidden" name="id" value={id} />
    <KeyFields typed={typedOf(edited)} hasLimits={!edited.isDefault} />
    <p class="buttons">
      <button type="submit">Save</button>{' '}
      <a class="button" href={AT}>
        Cancel
      </a>
    </p>
  </form>
);

const nameOf = ({ label, isDefault }: ListedKey) => label ?? (isDefault ? 'default' : 'without a label');

const KeyTable = ({ keys }: { keys: readonly ListedKey[] }) => (
  <Scroll label="API keys">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Label</th>
          <th scope="col">May</th>
          <th scope="col">Names</th>
          <th scope="col">Ends</th>
          <th scope="col">Created</th>
          <th scope="col">Rotated</th>
          <th scope="col">Last used</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr>
            <th scope="row">{nameOf(key)}</th>
            <td data-label="May">{MAY[key.permission]}</td>
            <td data-label="Names">{key.prefix === '' ? 'any' : <code>{key.prefix}…</code>}</td>
            <td data-label="Ends">
              <When at={key.expiresAt} as="ago" none="never" />
            </td>
            <td data-label="Created">
              <When at={key.createdAt} as="ago" />
            </td>
            <td data-label="Rotated">
              <When at={key.rotatedAt} as="ago" />
            </td>
            <td data-label="Last used">
              <When at={key.usedAt} as="ago" none="not yet" />
            </td>
            <td data-label="Actions">
              {key.id !== null && <KeyActions id={key.id} name={nameOf(key)} isDefault={key.isDefault} />}
            </td>
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
    <a class="button" href={`${AT}?edit=${id}`}>
      Edit<span class="out-of-sight"> {name}</span>
    </a>{' '}
    <Confirm
      id={`rotate-${id}`}
      label="Rotate"
      about={name}
      question={`Give the key “${name}” a new value? The old value stops working immediately.`}
      action={`${AT}/rotate`}
      fields={{ id }}
    />{' '}
    {!isDefault && (
      <Confirm
        id={`delete-${id}`}
        label="Delete"
        about={name}
        question={`Delete the key “${name}”? It stops working immediately.`}
        action={`${AT}/delete`}
        fields={{ id }}
      />
    )}
  </div>
);
