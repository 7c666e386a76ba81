/**
 * The page of the keyboard shortcuts. `?` shows its content in a dialog of any page.
 */
import { Hono } from 'hono';
import { Page } from '../components/layout.tsx';
import type { DashboardEnv } from '../env.ts';
import { PLACES } from '../places.ts';
import { COMMON_KEYS, KEYS_OF_PAGE } from '../shortcuts.ts';
import { may, needs } from '../viewer.ts';

const AT = '/dashboard/shortcuts';

export const shortcutsRoutes = () =>
  new Hono<DashboardEnv>().use(AT, needs('read')).get(AT, (c) => {
    const { viewer } = c.var;
    const pages = PLACES.flatMap((place) => place.pages).flatMap(({ path, name, right }): [string, string][] => {
      const keys = KEYS_OF_PAGE[path];
      return keys === undefined || !may(viewer, right) ? [] : [[keys, `Open ${name}`]];
    });
    return c.html(
      <Page title="Keyboard shortcuts" viewer={viewer}>
        <div id="shortcuts">
          <p>They work unless you type in a field. Keys after each other are pressed one by one.</p>
          <table>
            <thead>
              <tr>
                <th scope="col">Keys</th>
                <th scope="col">Does</th>
              </tr>
            </thead>
            <tbody>
              {[...COMMON_KEYS, ...pages].map(([keys, does]) => (
                <tr>
                  <th scope="row">
                    {keys.split(' ').map((key) => (
                      <>
                        <kbd>{key}</kbd>{' '}
                      </>
                    ))}
                  </th>
                  <td>{does}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <label class="check" hidden>
            <input type="checkbox" data-shortcuts checked /> Use shortcuts in this browser
          </label>
        </div>
      </Page>,
    );
  });
