/**
 * The table of the issuers of JWTs that a tenant has registered (docs/specification.md#jwt-exchange).
 */
import { type Registration, valuesOf } from '../../domain/registrations.ts';
import { Confirm } from './confirm.tsx';
import { Scroll } from './tableParts.tsx';

interface TableProps {
  /** The address of the page. */
  readonly at: string;
  readonly issuers: readonly Registration[];
}

export const IssuerTable = ({ at, issuers }: TableProps) =>
  issuers.length === 0 ? (
    <p>No issuer is registered.</p>
  ) : (
    <Scroll label="JWT issuers">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Id</th>
            <th scope="col">Issuer</th>
            <th scope="col">Conditions</th>
            <th scope="col">Tokens may</th>
            <th scope="col">Requester</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {issuers.map((one, i) => (
            <tr>
              <th scope="row">{one.id}</th>
              <td data-label="Issuer">
                {one.issuer}
                <br />
                <small>
                  for <code>{one.audience}</code>, keys at {one.jwksUrl}
                </small>
              </td>
              <td data-label="Conditions">
                <ConditionLines of={one} />
              </td>
              <td data-label="Tokens may">{powersOf(one)}</td>
              <td data-label="Requester">
                <code>{one.instances ? `${one.requester}.<instance>` : one.requester}</code>
              </td>
              <td data-label="Actions">
                <div class="buttons">
                  <a class="button" href={`${at}?edit=${one.id}#issuer`}>
                    Edit<span class="out-of-sight"> {one.id}</span>
                  </a>{' '}
                  <Confirm
                    id={`remove-${i}`}
                    label="Remove"
                    about={one.id}
                    question={`Remove the issuer “${one.id}”? Its JWTs stop working immediately, and tokens that were exchanged for them end.`}
                    action={`${at}/issuers/delete`}
                    fields={{ id: one.id }}
                  />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );

const ConditionLines = ({ of }: { of: Registration }) => {
  const all = Object.entries(of.conditions);
  if (all.length === 0) return <>everybody</>;
  return (
    <>
      {all.map(([claim, condition]) => (
        <div>
          <code>
            {claim} = {valuesOf(condition).join(' | ')}
          </code>
        </div>
      ))}
    </>
  );
};

/** The rights of a registration's tokens, in words. */
const powersOf = ({ permission, prefix, maxPriority }: Registration): string =>
  [
    permission === 'read' ? 'read' : `reserve ${prefix === '' ? 'any name' : `${prefix}…`}`,
    ...(maxPriority > 0 ? [`wait with a priority of at most ${maxPriority}`] : []),
  ].join(', ');
