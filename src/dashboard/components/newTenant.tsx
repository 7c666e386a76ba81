/**
 * First steps of a new tenant: three examples and the demo data, each by one click, and the command for jobs.
 */
import type { Example } from '../demo/demoData.ts';
import type { ICONS } from '../icons.ts';
import { Icon } from './icon.tsx';

interface CardOf {
  readonly example: Example;
  readonly icon: keyof typeof ICONS;
  readonly title: string;
  readonly text: string;
  readonly adds: string;
}

const CARDS: readonly CardOf[] = [
  {
    example: 'phone',
    icon: 'phone',
    title: 'A phone',
    text: 'One thing that one person has at a time. Labels say what it is: os=android, site=berlin.',
    adds: 'pixel-8',
  },
  {
    example: 'environment',
    icon: 'environment',
    title: 'An environment',
    text: 'Reserving staging takes its database along, so nobody migrates it meanwhile.',
    adds: 'staging',
  },
  {
    example: 'pool',
    icon: 'pool',
    title: 'A pool',
    text: 'Six emulators of one name. Everybody gets a free one, and the others queue.',
    adds: 'emulators',
  },
];

export interface NewTenantProps {
  readonly mayDefine: boolean;
  /** The origin of the service as people see it. */
  readonly origin: string;
}

export const NewTenant = ({ mayDefine, origin }: NewTenantProps) => (
  <section class="new-tenant" aria-labelledby="new-title">
    <h2 id="new-title">Three things to try</h2>
    <ul class="examples">
      {CARDS.map(({ example, icon, title, text, adds }) => (
        <li class="example">
          <h3>
            <Icon name={icon} /> {title}
          </h3>
          <p>{text}</p>
          {mayDefine && (
            <form method="post" action="/dashboard/demo/try">
              <button type="submit" name="example" value={example} id={`try-${example}`}>
                <Icon name="plus" /> Add {adds}
              </button>
            </form>
          )}
        </li>
      ))}
    </ul>
    {mayDefine ? (
      <div class="demo">
        <form method="post" action="/dashboard/demo">
          <button type="submit" class="primary" id="demo">
            Fill it with demo data
          </button>
        </form>
        <a class="button" id="register" href="/dashboard/resources/register?back=/dashboard">
          Register your own
        </a>
        <p class="meta">
          A test lab of 20 things, some of them held for an hour. One click on Resources removes it again.
        </p>
      </div>
    ) : (
      <p class="meta">
        Nothing is registered yet. Operators register pools, trees and labels; any other name can be reserved right
        away.
      </p>
    )}
    <h3 class="new-line">From a job</h3>
    <pre>
      <code id="new-command">
        {`curl ${origin}/api/v1/Reservation/reserve -H "X-Api-Key: $HOLDFAST_KEY" -H 'Content-Type: application/json' \\
  -d '[{"resource": "staging", "requester": "ci-42", "ttlSeconds": 600, "waitSeconds": 300}]'`}
      </code>
    </pre>
    <p class="meta">
      <button type="button" data-copy="new-command" hidden>
        Copy<span class="out-of-sight"> the command</span>
      </button>{' '}
      The <a href="/dashboard/overview">overview</a> has the key and more commands.
    </p>
  </section>
);

/** Removes the demo data. Only what is of the demo goes, so it does not ask. */
export const RemoveDemo = ({ back }: { back: string }) => (
  <form method="post" action="/dashboard/demo/remove">
    <input type="hidden" name="back" value={back} />
    <button type="submit" class="quiet" id="remove-demo">
      Remove the demo data
    </button>
  </form>
);
