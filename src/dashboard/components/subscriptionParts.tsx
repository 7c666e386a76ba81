/**
 * Parts of the pages of subscriptions: the list, the secret of a webhook, and why the service has stopped one.
 */
import type { ListedSubscription } from '../../operations/subscriptions.ts';
import { KIND_WORDS, placeText, stateText, stoppedText, typesText } from '../words/noticeWords.ts';
import { ShownOnce } from './secret.tsx';
import { Scroll } from './tableParts.tsx';

export const NOTICES = '/dashboard/notices';
export const ONE_NOTICE = `${NOTICES}/one`;
export const SLACK_APP = `${NOTICES}/slack`;
export const subscriptionPath = (id: string): string => `${ONE_NOTICE}?${new URLSearchParams({ id })}`;

export const SubscriptionTable = ({ all }: { all: readonly ListedSubscription[] }) => (
  <Scroll label="Subscriptions">
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Label</th>
          <th scope="col">Kind</th>
          <th scope="col">To</th>
          <th scope="col">Events</th>
          <th scope="col">Resources</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {all.map((one) => (
          <tr>
            <th scope="row">
              <a href={subscriptionPath(one.id)}>{one.label}</a>
            </th>
            <td data-label="Kind">{KIND_WORDS[one.kind]}</td>
            <td data-label="To">{placeText(one)}</td>
            <td data-label="Events">{typesText(one.types)}</td>
            <td data-label="Resources">{one.prefix === '' ? 'all' : `${one.prefix}…`}</td>
            <td data-label="State">{stateText(one)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

/** Says why the service sends nothing to it. */
export const Stopped = ({ one }: { one: ListedSubscription }) => {
  const text = stoppedText(one);
  return text === null ? null : (
    <p class="notice bad" role="alert">
      <a href={subscriptionPath(one.id)}>{one.label}</a>: {text}
    </p>
  );
};

export const WebhookSecret = ({ label, value }: { label: string; value: string }) => (
  <ShownOnce title={`Secret of ${label}`} word="secret" value={value} hint="Your receiver checks signatures with it." />
);
