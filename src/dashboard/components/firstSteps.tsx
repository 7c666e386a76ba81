/**
 * The first three steps of a new tenant, with commands to copy for curl, the command line and TypeScript. Each step
 * says whether it is done.
 */

/** Which steps a tenant has done. */
export interface StepsDone {
  readonly key: boolean;
  readonly reservation: boolean;
  /** It has watched, or released something. */
  readonly watch: boolean;
}

export interface FirstStepsProps {
  readonly done: StepsDone;
  /** The origin of the service as people see it. */
  readonly origin: string;
  /** The default key; null: the person may not see it, or has not asked for it, or there is none */
  readonly keyValue: string | null;
}

const CALL = `-H "X-Api-Key: $HOLDFAST_KEY" -H 'Content-Type: application/json'`;
const RESERVE = '[{"resource": "printer", "requester": "me", "ttlSeconds": 600, "note": "my first reservation"}]';
const RELEASE = '[{"resource": "printer", "requester": "me", "releaseToken": "<the releaseToken of the response>"}]';

export const FirstSteps = ({ done, origin, keyValue }: FirstStepsProps) => {
  const key = keyValue ?? '<your key>';
  const environment = `export HOLDFAST_URL=${origin} HOLDFAST_KEY='${key}'`;
  return (
    <section class="card" aria-labelledby="steps-title">
      <header>
        <h2 id="steps-title">First steps</h2>
      </header>
      <ol class="steps pad">
        <Step
          id="key"
          title="Copy your key, and use it"
          isDone={done.key}
          curl={`${environment}\ncurl -s "$HOLDFAST_URL/api/v1/Reservation/activeReservations" -H "X-Api-Key: $HOLDFAST_KEY"`}
          holdfast={`${environment}\nholdfast ls`}
          typeScript={`import { Holdfast } from '@holdfast/client';\n\nconst holdfast = new Holdfast({ url: '${origin}', key: '${key}' });\nconsole.log(await holdfast.active());`}
        />
        <Step
          id="reservation"
          title="Reserve something"
          isDone={done.reservation}
          curl={`curl -s "$HOLDFAST_URL/api/v1/Reservation/reserve" ${CALL} -d '${RESERVE}'`}
          holdfast={'hold=$(holdfast reserve printer --ttl 10m --note "my first reservation" --json)'}
          typeScript={"const hold = await holdfast.reserve('printer', { ttl: '10m', note: 'my first reservation' });"}
        />
        <Step
          id="watch"
          title="Watch it, or release it"
          isDone={done.watch}
          curl={`curl -sN "$HOLDFAST_URL/api/v1/events" -H "X-Api-Key: $HOLDFAST_KEY"\ncurl -s "$HOLDFAST_URL/api/v1/Reservation/unreserve" ${CALL} -d '${RELEASE}'`}
          holdfast={'holdfast watch\nprintf %s "$hold" | holdfast release -'}
          typeScript={'await hold.release();'}
        />
      </ol>
    </section>
  );
};

interface StepProps {
  readonly id: string;
  readonly title: string;
  readonly isDone: boolean;
  readonly curl: string;
  readonly holdfast: string;
  readonly typeScript: string;
}

const Step = ({ id, title, isDone, curl, holdfast, typeScript }: StepProps) => (
  <li>
    <h3 class="step-title">{title}</h3>
    <p data-live={`step-${id}`} class={isDone ? 'step done' : 'step'}>
      {isDone ? '✓ Done' : 'To do'}
    </p>
    <Command id={`step-${id}-curl`} name="curl" about={title} text={curl} />
    <Command id={`step-${id}-cli`} name="The command line" about={title} text={holdfast} />
    <Command id={`step-${id}-ts`} name="TypeScript" about={title} text={typeScript} />
  </li>
);

interface CommandProps {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

const Command = ({ id, name, about, text }: CommandProps) => (
  <details id={`${id}-shown`}>
    <summary>
      {name}
      <span class="out-of-sight">: {about}</span>
    </summary>
    <pre>
      <code id={id} class="wrapped">
        {text}
      </code>
    </pre>
    <button type="button" data-copy={id} hidden>
      Copy
      <span class="out-of-sight">
        {' '}
        the command for {name}: {about}
      </span>
    </button>
  </details>
);

/** Where to read on. */
export const Reading = () => (
  <section class="card" aria-labelledby="reading-title">
    <header>
      <h2 id="reading-title">Read on</h2>
    </header>
    <dl class="props">
      <dt>To try out</dt>
      <dd>
        <a href="/docs">The API</a>
      </dd>
      <dt>For tools</dt>
      <dd>
        <a href="/openapi.json">The OpenAPI document</a>
      </dd>
      <dt>Rules</dt>
      <dd>
        <code>docs/specification.md</code> in the repository
      </dd>
      <dt>Shell, CI</dt>
      <dd>
        <code>docs/command-line.md</code>
      </dd>
      <dt>TypeScript</dt>
      <dd>
        <code>packages/client/README.md</code>
      </dd>
    </dl>
  </section>
);
