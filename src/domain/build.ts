/** The version of this build, for GET /version and the dashboard. */
import manifest from '../../package.json' with { type: 'json' };

/** Set by scripts/buildService.ts. Sources that run without a build do not have it. */
declare const BUILT: Build | undefined;

export interface Build {
  /** As in package.json, with the suffix -dev unless this is a release. */
  readonly version: string;
  /** The commit that was built; null: unknown, since the sources run without a build, or were no checkout */
  readonly commit: string | null;
}

export const BUILD: Build = typeof BUILT === 'undefined' ? { version: `${manifest.version}-dev`, commit: null } : BUILT;
