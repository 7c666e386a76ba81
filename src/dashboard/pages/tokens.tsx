/**
 * The page of management tokens, for owners: list, create and delete them
 * (docs/specification.md#management-tokens). The value of a token is on the page that its creation answers with, and
 * nowhere else.
 */
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { SCOPES } from '../../domain/rights.ts';
import { verifyCredential } from '../../engine/tenant/credentials.ts';
import { createToken, deleteToken } from '../../operations/managementTokens.ts';
import { listTokens, MAX_TOKENS, type TokenRow } from '../../store/managementTokens.ts';
import { Confirm } from '../components/confirm.tsx';
import { Count } from '../components/head.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { ShownOnce } from '../components/secret.tsx';
import { Scroll } from '../components/tableParts.tsx';
import { When } from '../components/when.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, NO_DATABASE, readForm } from '../form.ts';
import { ManagementTokenParams, NewManagementToken } from '../formSchemas.ts';

const AT = '/dashboard/access/tokens';
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;
const MAX_DAYS = 365;

const Id = z.object({ id: z.string() });
const New = z.object({
  id: z.string(),
  label: z.string(),
  scopes: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
  expiresOn: z.string(),
});

/** A token that has just been made. */
interface Made {
  readonly label: string;
  readonly value: string;
}

export const tokensRoutes = (deps: DashboardDeps) => {
  const { tenants, engine } = deps;
  const tokens = tenants && { ...deps, ...tenants };

  const show = async (c: Context<DashboardEnv>, failed?: Failed, made?: Made) => {
    const { viewer } = c.var;
    await verifyCredential(engine, viewer.credential, 'tokens');
    const listed =
      tokens === null ? null : await listTokens(tokens.store, viewer.credential.tenant, undefined, MAX_TOKENS);
    const done = c.req.query('done');
    return c.html(
      <TokensPage viewer={viewer} done={done} failed={failed} made={made} tokens={listed} />,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => show(c))
    .post(AT, async (c) => {
      if (tokens === null) return show(c, NO_DATABASE);
      const body = await c.req.parseBody({ all: true }).catch(() => null);
      const created = await attempt(deps, c, async () => {
        const { expiresOn, ...form } = check(New, body);
        return createToken(tokens, c.var.viewer, check(NewManagementToken, { ...form, expiresAt: endOf(expiresOn) }));
      });
      if (!created.ok) return show(c, created);
      const { row, value } = created.result.result;
      return show(c, undefined, value === null ? undefined : { label: row.label, value });
    })
    .post(`${AT}/delete`, async (c) => {
      if (tokens === null) return show(c, NO_DATABASE);
      const form = await readForm(c, Id);
      const deleted = await attempt(deps, c, async () =>
        deleteToken(tokens, c.var.viewer, check(ManagementTokenParams, form).id),
      );
      return deleted.ok ? c.redirect(`${AT}?done=deleted`, 303) : show(c, deleted);
    });
};

/** The end of a day, which a form gives as 2026-01-31. */
const endOf = (day: string) => `${day}T23:59:59Z`;
const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

interface TokensPageProps {
  readonly viewer: Viewer;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
  readonly made: Made | undefined;
  /** null: there is no database */
  readonly tokens: readonly TokenRow[] | null;
}

const TokensPage = ({ viewer, done, failed, made, tokens }: TokensPageProps) => (
  <Page title="Tokens" head={countOf(tokens)} viewer={viewer} at={AT} done={done} failed={failed}>
    <p>With a management token, a program manages this tenant: Terraform, or a script.</p>
    {made !== undefined && <MadeToken {...made} />}
    {tokens !== null && tokens.length > 0 && <TokenTable tokens={tokens} />}
    {tokens === null ? <NeedsDatabase what="To make management tokens" /> : <NewTokenForm />}
  </Page>
);

const countOf = (tokens: TokensPageProps['tokens']) => ({
  counts: tokens && <Count of={tokens.length} word={tokens.length === 1 ? 'token' : 'tokens'} />,
});

const MadeToken = ({ label, value }: Made) => <ShownOnce title={`Token ${label}`} word="token" value={value} />;

const NewTokenForm = () => (
  <form method="post" action={AT} class="fields">
    <h2>Create a token</h2>
    {/* Sending the form twice makes one token. */}
    <input type="hidden" name="id" value={randomUUID()} />
    <label>
      Label <input name="label" required maxlength={64} autocomplete="off" />
    </label>
    <fieldset>
      <legend>Scopes</legend>
      {SCOPES.map((scope) => (
        <label>
          <input type="checkbox" name="scopes" value={scope} /> {scope}
        </label>
      ))}
    </fieldset>
    <label>
      Valid to the end of (UTC){' '}
      <input type="date" name="expiresOn" required min={dayIn(0)} max={dayIn(MAX_DAYS)} value={dayIn(DEFAULT_DAYS)} />
    </label>
    <p class="hint">The audit trail shows the label with each change that the token makes.</p>
    <button type="submit">Create a token</button>
  </form>
);

const TokenTable = ({ tokens }: { tokens: readonly TokenRow[] }) => (
  <Scroll label="Management tokens">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Label</th>
          <th scope="col">Scopes</th>
          <th scope="col">Created by</th>
          <th scope="col">Created</th>
          <th scope="col">Ends</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {tokens
          .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
          .map(({ id, label, scopes, createdBy, createdAt, expiresAt }) => (
            <tr>
              <th scope="row">{label}</th>
              <td data-label="Scopes">{scopes.join(', ')}</td>
              <td data-label="Created by">{createdBy.replace(/^\w+:/, '')}</td>
              <td data-label="Created">
                <When at={createdAt} as="ago" />
              </td>
              <td data-label="Ends">
                <When at={expiresAt} as="ago" />
              </td>
              <td data-label="Actions">
                <Confirm
                  id={`delete-${id}`}
                  label="Delete"
                  about={label}
                  question={`Delete the token “${label}”? It stops working immediately.`}
                  action={`${AT}/delete`}
                  fields={{ id }}
                />
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  </Scroll>
);
