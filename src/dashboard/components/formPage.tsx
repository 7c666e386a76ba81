/**
 * The page of a form. A script shows its panel as a drawer over other pages, and as a sheet on phones. A fault of one
 * field stands at that field.
 */
import type { Child } from 'hono/jsx';
import type { Viewer } from '../env.ts';
import type { Failed } from '../form.ts';
import { FaultNotice, Page, type PageProps } from './layout.tsx';

export interface FormPageProps extends Pick<PageProps, 'at' | 'renew'> {
  readonly title: string;
  readonly viewer: Viewer;
  readonly failed?: Failed | undefined;
  readonly children: Child;
}

export const FormPage = ({ title, viewer, failed, at, renew, children }: FormPageProps) => (
  <Page title={title} viewer={viewer} ownHead="" {...(at && { at })} {...(renew && { renew })}>
    <div id="panel" class="panel">
      <h1>{title}</h1>
      {failed && failed.field === undefined && <FaultNotice failed={failed} />}
      {children}
    </div>
  </Page>
);

interface FaultProps {
  readonly of: string;
  readonly failed: Failed | undefined;
}

const idOf = (field: string) => `fault-${field}`;

/** The attributes of a field that is wrong. */
export const faultOf = ({ of, failed }: FaultProps) =>
  failed?.field === of ? ({ 'aria-invalid': 'true', 'aria-describedby': idOf(of) } as const) : {};

export const Fault = ({ of, failed }: FaultProps) =>
  failed?.field === of ? (
    <span class="fault" id={idOf(of)} role="alert">
      {failed.fault}
      {failed.link && (
        <>
          {' '}
          <a href={failed.link.to}>{failed.link.text}</a>
        </>
      )}
    </span>
  ) : null;

interface ButtonsProps {
  readonly back: string;
  /** The text of the first button, where Cancel could mean the booking. */
  readonly leave?: string;
  readonly children: Child;
}

/** The buttons of a form: Cancel, which leads back, and the main one. */
export const Buttons = ({ back, leave = 'Cancel', children }: ButtonsProps) => (
  <p class="form-buttons">
    <a class="button" href={back} data-cancel>
      {leave}
    </a>
    {children}
  </p>
);
