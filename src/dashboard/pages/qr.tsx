/**
 * The label of a resource, to print and stick on the device: its name, and a code that opens the page that reserves it.
 */
import { Hono } from 'hono';
import qrcode from 'qrcode-generator';
import { z } from 'zod';
import { Page } from '../components/layout.tsx';
import { resourcePath } from '../components/resourceTree.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { check, readQuery } from '../form.ts';
import { NameParams } from '../formSchemas.ts';
import { actionPath, LABEL, originOf } from '../paths.ts';

export const qrRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().get(LABEL, (c) => {
    const { name } = check(NameParams, readQuery(c, z.object({ name: z.string() })));
    const address = originOf(deps, c) + actionPath('reserve', { resource: name });
    return c.html(
      <Page
        title="Label"
        viewer={c.var.viewer}
        at="/dashboard/resources"
        head={{
          actions: (
            <>
              <button type="button" class="primary" id="print" data-print hidden>
                Print
              </button>
              <a class="button" href={resourcePath(name)}>
                Back to {name}
              </a>
            </>
          ),
        }}
      >
        <figure class="label">
          <QrCode text={address} />
          <figcaption>
            <strong>{name}</strong>
            <span>Scan to see who has it, and to reserve it.</span>
            <span class="meta">{new URL(address).host}</span>
          </figcaption>
        </figure>
        <p class="hint no-print">
          The code leads to <code>{address}</code>. Who opens it signs in first; viewers see the state only.
        </p>
      </Page>,
    );
  });

/** Bytes that a code of the largest size holds at the level of error correction M. Longer texts get the level L. */
const MAX_M = 2331;

/** A text as a QR code, with the quiet zone of four modules that readers need. */
export const QrCode = ({ text }: { text: string }) => {
  const code = qrcode(0, text.length > MAX_M ? 'L' : 'M');
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const modules = Array.from({ length: size * size }, (_, i) => [i % size, Math.floor(i / size)] as const);
  const path = modules.filter(([x, y]) => code.isDark(y, x)).map(([x, y]) => `M${x} ${y}h1v1h-1z`);
  return (
    <svg
      class="qr"
      viewBox={`-4 -4 ${size + 8} ${size + 8}`}
      role="img"
      aria-label="QR code"
      shape-rendering="crispEdges"
    >
      <rect x={-4} y={-4} width={size + 8} height={size + 8} fill="#fff" />
      <path d={path.join('')} fill="#000" />
    </svg>
  );
};
