/**
 * The last attempts to deliver to a subscription.
 */
import type { Attempt } from '../../domain/notices.ts';
import { number } from '../words/numbers.ts';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

export const DeliveryTable = ({ attempts }: { attempts: readonly Attempt[] }) =>
  attempts.length === 0 ? (
    <p class="pad">Nothing has been sent yet.</p>
  ) : (
    <Scroll label="The last deliveries">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Attempt</th>
            <th scope="col">Result</th>
            <th scope="col">Took</th>
            <th scope="col">Id</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map(({ at, events, attempt, status, fault, durationMs, webhookId }) => (
            <tr>
              <th scope="row">
                <When at={new Date(at)} as="ago" />
              </th>
              <td data-label="What">{events === 0 ? 'test' : events === 1 ? '1 event' : `${number(events)} events`}</td>
              <td data-label="Attempt">{attempt}</td>
              <td data-label="Result">{resultText(status, fault)}</td>
              <td data-label="Took">{number(durationMs)} ms</td>
              <td data-label="Id">
                <code>{webhookId}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );

/** `204, arrived` or `500: answered with 500`. */
export const resultText = (status: number | null, fault: string | null): string =>
  [status, fault ?? 'arrived'].filter((part) => part !== null).join(': ');
