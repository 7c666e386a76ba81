/**
 * The form that subscribes somebody to the tenant's events, or changes that (docs/specification.md#subscriptions). It
 * has the fields of its kind.
 */
import { z } from 'zod';
import { EVENT_TYPES } from '../../domain/eventTypes.ts';
import { ALL_TYPES, DEFAULT_TYPES, SUBSCRIPTION_KINDS, type SubscriptionKind } from '../../domain/notices.ts';
import type { ListedSubscription } from '../../operations/subscriptions.ts';
import { EVENT_WORDS, KIND_WORDS } from '../words/noticeWords.ts';
import { HiddenFields } from './hiddenFields.tsx';
import { checkbox } from './issuerForm.tsx';
import { SLACK_APP } from './subscriptionParts.tsx';

/** The form as it is sent. */
export const SubscriptionForm = z.object({
  id: z.string(),
  kind: z.enum(SUBSCRIPTION_KINDS),
  label: z.string(),
  url: z.string().default(''),
  channel: z.string().default(''),
  /** One a line. */
  addresses: z.string().default(''),
  all: checkbox,
  types: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
  prefix: z.string(),
  enabled: checkbox,
});
export type TypedSubscription = z.output<typeof SubscriptionForm>;

/** The fields of a request that a form describes, not checked yet. A place that is left empty is left out. */
export function asAsked({ label, url, channel, addresses, all, types, prefix, enabled }: TypedSubscription) {
  const lines = addresses.split(/[\s,;]+/).filter((one) => one !== '');
  return {
    label: label.trim(),
    ...(url.trim() !== '' && { url: url.trim() }),
    ...(channel.trim() !== '' && { channel: channel.trim() }),
    ...(lines.length > 0 && { addresses: lines }),
    types: all ? [ALL_TYPES] : types,
    prefix,
    enabled,
  };
}

/** A form of a new subscription. */
export const newSubscription = (kind: SubscriptionKind, id: string): TypedSubscription => ({
  ...{ id, kind, label: '', url: '', channel: '', addresses: '', all: false, prefix: '', enabled: true },
  types: [...DEFAULT_TYPES[kind]],
});

/** The form of one that there is. Its URL is a secret, which nobody is shown. */
export const asTyped = ({ id, kind, label, channel, addresses, types, prefix, enabled }: ListedSubscription) => ({
  ...{ id, kind, label, url: '', channel: channel ?? '', addresses: addresses?.join('\n') ?? '', prefix, enabled },
  all: types.includes(ALL_TYPES),
  types: [...types],
});

export interface SubscriptionFieldsProps {
  readonly action: string;
  readonly typed: TypedSubscription;
  /** The host of its URL, if it has one; undefined: it is new */
  readonly host?: string | null | undefined;
}

export const SubscriptionFields = ({ action, typed, host }: SubscriptionFieldsProps) => {
  const { id, kind, label, prefix, enabled } = typed;
  const isNew = host === undefined;
  return (
    <form method="post" action={action} class="fields" id="subscription">
      <h2>{isNew ? `New: ${KIND_WORDS[kind]}` : 'Change it'}</h2>
      {/* Sending the form twice makes one. */}
      <HiddenFields fields={{ id, kind }} />
      <label>
        Label <input name="label" required maxlength={64} value={label} autocomplete="off" />
      </label>
      <PlaceFields typed={typed} host={host} />
      <TypeFields typed={typed} />
      <label>
        Only resources whose names start with (optional){' '}
        <input name="prefix" value={prefix} maxlength={256} placeholder="lab/" autocomplete="off" />
      </label>
      <label class="check">
        <input type="checkbox" name="enabled" checked={enabled} /> Enabled
      </label>
      {!isNew && <p class="hint">While it is not enabled, nothing is sent, and what happens is not kept for it.</p>}
      <button type="submit">{isNew ? 'Subscribe' : 'Save'}</button>
    </form>
  );
};

const PlaceFields = ({ typed: { kind, url, channel, addresses }, host }: Omit<SubscriptionFieldsProps, 'action'>) => {
  if (kind === 'email')
    return (
      <label>
        Addresses, one a line: verified addresses of members{' '}
        <textarea name="addresses" rows={3} required autocomplete="off" spellcheck={false}>
          {addresses}
        </textarea>
      </label>
    );
  const kept = host ? `unchanged: at ${host}` : undefined;
  return (
    <>
      <label>
        {kind === 'webhook' ? 'Address (https)' : 'Address of an incoming webhook of Slack'}{' '}
        <input
          type="url"
          name="url"
          maxlength={2000}
          value={url}
          required={kind === 'webhook' && !host}
          placeholder={kept ?? (kind === 'webhook' ? 'https://' : 'https://hooks.slack.com/services/…')}
          autocomplete="off"
        />
      </label>
      {kind === 'slack' && (
        <label>
          Or a channel that the bot of the <a href={SLACK_APP}>Slack app</a> writes to{' '}
          <input name="channel" maxlength={82} value={channel} placeholder="#lab" autocomplete="off" />
        </label>
      )}
    </>
  );
};

const TypeFields = ({ typed: { all, types } }: { typed: TypedSubscription }) => (
  <fieldset>
    <legend>Events</legend>
    <label class="check">
      <input type="checkbox" name="all" checked={all} /> All, also those of future versions
    </label>
    {EVENT_TYPES.map((type) => (
      <label class="check">
        <input type="checkbox" name="types" value={type} checked={!all && types.includes(type)} /> {EVENT_WORDS[type]}
      </label>
    ))}
  </fieldset>
);
