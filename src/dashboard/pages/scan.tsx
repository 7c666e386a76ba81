/**
 * Scan: reads the code on a device with the camera, and opens the page that reserves it. Where the browser cannot read
 * codes, the camera app of the phone can: a code contains the address of that page (pages/qr.tsx).
 */
import { Hono } from 'hono';
import { Page } from '../components/layout.tsx';
import type { DashboardEnv } from '../env.ts';
import { SCAN } from '../paths.ts';
import { needs } from '../viewer.ts';

export const scanRoutes = () =>
  new Hono<DashboardEnv>().use(SCAN, needs('read')).get(SCAN, (c) =>
    c.html(
      <Page title="Scan" viewer={c.var.viewer} at={SCAN} script="scan.js">
        <section class="scan" id="scan" hidden>
          <video id="camera" playsinline muted aria-label="What the camera sees" />
          <p id="seen" role="status">
            Point the camera at the code on the device.
          </p>
          <button type="button" id="start" class="primary">
            Use the camera
          </button>
        </section>
        <p id="no-scan">
          This browser cannot read codes. The camera app of your phone can: point it at the code on the device, and open
          the link.
        </p>
        <form class="fields" action="/dashboard/reserve">
          <label>
            Or type the name on the label
            <input name="resource" required maxlength={256} autocomplete="off" autocapitalize="off" />
          </label>
          <button type="submit">Next</button>
        </form>
      </Page>,
    ),
  );
