/**
 * Push on this device, below what a person wants to be told (docs/specification.md#push). A script turns it on
 * (assets/push.js), since only the browser can subscribe.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { turnOnPush } from '../../../operations/personalNotices.ts';
import { readDevice, removeDevice } from '../../../store/pushDevices.ts';
import { ProblemPage } from '../../components/failurePage.tsx';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { attempt, NO_DATABASE, readForm } from '../../form.ts';
import { MY_NOTICES } from '../../paths.ts';
import { deviceOf, keepDevice } from '../../session/device.ts';

/** The subscription of a browser, as its form sends it. */
const Subscription = z.object({ endpoint: z.string(), p256dh: z.string(), auth: z.string() });

const [ON, OFF] = [`${MY_NOTICES}/push/on`, `${MY_NOTICES}/push/off`];

export const pushRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;
  return new Hono<DashboardEnv>()
    .post(ON, async (c) => {
      const target = await readForm(c, Subscription);
      const { viewer } = c.var;
      const device = { userId: viewer.user.id, deviceId: keepDevice(deps, c) };
      const turned =
        tenants && (await attempt(deps, c, () => turnOnPush({ ...deps, ...tenants }, viewer, device, target)));
      if (turned?.ok) return c.redirect(`${MY_NOTICES}?done=pushOn`, 303);
      const { status, fault } = turned ?? NO_DATABASE;
      return c.html(<ProblemPage title="Refused" status={status} text={fault} viewer={viewer} />, status);
    })
    .post(OFF, async (c) => {
      await readForm(c, z.object({}));
      const { credential, user } = c.var.viewer;
      const deviceId = deviceOf(deps, c);
      if (tenants !== null && deviceId !== null)
        await removeDevice(tenants.store, credential.tenant, { userId: user.id, deviceId });
      return c.redirect(`${MY_NOTICES}?done=pushOff`, 303);
    });
};

/** Returns true if push is on for the person in this browser. @throws HoldfastError unavailable */
export async function isPushOn(deps: DashboardDeps, c: Context<DashboardEnv>): Promise<boolean> {
  const { credential, user } = c.var.viewer;
  const deviceId = deviceOf(deps, c);
  if (deviceId === null || deps.tenants === null) return false;
  return (await readDevice(deps.tenants.store, credential.tenant, { userId: user.id, deviceId })) !== null;
}

/** @param props.pushKey the key that browsers subscribe with */
export const Push = ({ pushKey, isOn }: { pushKey: string; isOn: boolean }) => (
  <section class="card pad" id="push">
    <h2>Push</h2>
    <p>
      A device with push tells you also while no page is open: this phone or computer, in this browser or as an app. If
      you have chosen nothing by push yet, it begins with your turns and the ends of your time. Signing out ends it.
    </p>
    {isOn && (
      <form method="post" action={OFF} id="push-off">
        <button type="submit">Turn off push on this device</button>
      </form>
    )}
    <form method="post" action={ON} id="push-on" data-key={pushKey} hidden>
      <input type="hidden" name="endpoint" />
      <input type="hidden" name="p256dh" />
      <input type="hidden" name="auth" />
      <button type="submit" class="primary">
        Turn on push on this device
      </button>
    </form>
    <p class="hint" id="push-said" role="status">
      {!isOn && 'This browser takes no push messages. On an iPhone or iPad, add this page to the Home Screen first.'}
    </p>
  </section>
);
