/** The pages of the documentation, as the site and llms.txt list them. */

/** A page, by its address on the site, and pages below it. */
interface Page {
  text: string;
  link: string;
  target?: string;
  collapsed?: boolean;
  items?: Page[];
}

export const SIDEBAR: { text: string; items: Page[] }[] = [
  {
    text: 'Start',
    items: [
      { text: 'What Holdfast is', link: '/' },
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'Questions and answers', link: '/docs/faq' },
      { text: 'Troubleshooting', link: '/docs/troubleshooting' },
    ],
  },
  {
    text: 'Concepts',
    items: [
      { text: 'Overview and glossary', link: '/docs/concepts/' },
      { text: 'Reservation', link: '/docs/concepts/reservation' },
      { text: 'Lease', link: '/docs/concepts/lease' },
      { text: 'Fencing token', link: '/docs/concepts/fencing' },
      { text: 'Pool', link: '/docs/concepts/pool' },
      { text: 'Tree', link: '/docs/concepts/tree' },
      { text: 'Blocker', link: '/docs/concepts/blocker' },
      { text: 'Queue', link: '/docs/concepts/queue' },
      { text: 'Session', link: '/docs/concepts/session' },
      { text: 'Event', link: '/docs/concepts/event' },
    ],
  },
  {
    text: 'Guides',
    items: [
      { text: 'All guides', link: '/docs/guides/' },
      { text: 'Replace redlock', link: '/docs/guides/replace-redlock' },
      { text: 'Share test devices', link: '/docs/guides/share-test-devices' },
      { text: 'Book devices ahead', link: '/docs/guides/book-devices' },
      { text: 'Move from Jenkins', link: '/docs/guides/move-from-jenkins' },
      { text: 'Move from Boskos', link: '/docs/guides/move-from-boskos' },
      { text: 'Protect a deployment', link: '/docs/guides/protect-a-deployment' },
      { text: 'CI without secrets', link: '/docs/guides/ci' },
      { text: 'Elect a leader', link: '/docs/guides/leader-election' },
      { text: 'Limit the rate of jobs', link: '/docs/guides/limit-job-rates' },
      { text: 'Mirror state', link: '/docs/guides/mirror-state' },
      { text: 'React to changes with a webhook', link: '/docs/guides/webhooks' },
      { text: 'Tell Slack who has staging', link: '/docs/guides/tell-slack' },
      { text: 'Test your code', link: '/docs/guides/test-your-code' },
      { text: 'Let end users reserve', link: '/docs/guides/end-users' },
      { text: 'Reserve from Slack', link: '/docs/guides/reserve-from-slack' },
      { text: 'Any language', link: '/docs/guides/any-language' },
      { text: 'Coding agents', link: '/docs/guides/agents' },
      { text: 'Manage a tenant by program', link: '/docs/guides/automation' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'API', link: '/docs/api', target: '_self' },
      { text: 'Client for TypeScript', link: '/packages/client/' },
      { text: 'Client for Python', link: '/packages/python/' },
      { text: 'Client for Go', link: '/packages/go/holdfast/' },
      { text: 'The clients: calls, options, errors', link: '/docs/clients' },
      { text: 'Command line', link: '/docs/command-line' },
      { text: 'GitHub Actions', link: '/integrations/github-action/' },
      { text: 'GitLab CI', link: '/integrations/gitlab/' },
      { text: 'Jenkins', link: '/integrations/jenkins/' },
      { text: 'Configuration', link: '/docs/configuration' },
      { text: 'Dashboard', link: '/docs/dashboard' },
      { text: 'Specification', link: '/docs/specification' },
    ],
  },
  {
    text: 'Operations',
    items: [
      { text: 'Overview', link: '/docs/operations/' },
      { text: 'Deploy', link: '/docs/operations/deploy' },
      { text: 'Kubernetes', link: '/docs/operations/kubernetes' },
      { text: 'Redis', link: '/docs/operations/redis' },
      { text: 'Database', link: '/docs/operations/database' },
      { text: 'Sign-in', link: '/docs/operations/sign-in' },
      { text: 'Sizing', link: '/docs/operations/sizing' },
      { text: 'Upgrade', link: '/docs/operations/upgrade' },
      { text: 'Backup and restore', link: '/docs/operations/backup' },
      { text: 'Overload', link: '/docs/operations/overload' },
      { text: 'Monitoring', link: '/docs/operations/monitoring' },
      {
        text: 'Runbook',
        link: '/docs/operations/runbook/',
        collapsed: true,
        items: [
          { text: 'HoldfastGone', link: '/docs/operations/runbook/HoldfastGone' },
          { text: 'HoldfastRedisDown', link: '/docs/operations/runbook/HoldfastRedisDown' },
          { text: 'HoldfastRedisMemory', link: '/docs/operations/runbook/HoldfastRedisMemory' },
          { text: 'HoldfastDatabaseDown', link: '/docs/operations/runbook/HoldfastDatabaseDown' },
          { text: 'HoldfastErrors', link: '/docs/operations/runbook/HoldfastErrors' },
          { text: 'HoldfastSlow', link: '/docs/operations/runbook/HoldfastSlow' },
          { text: 'HoldfastOverloaded', link: '/docs/operations/runbook/HoldfastOverloaded' },
          { text: 'HoldfastScriptsSlow', link: '/docs/operations/runbook/HoldfastScriptsSlow' },
          { text: 'HoldfastSweepLate', link: '/docs/operations/runbook/HoldfastSweepLate' },
          { text: 'HoldfastQueueStuck', link: '/docs/operations/runbook/HoldfastQueueStuck' },
          { text: 'HoldfastJobsFail', link: '/docs/operations/runbook/HoldfastJobsFail' },
          { text: 'HoldfastHistoryLate', link: '/docs/operations/runbook/HoldfastHistoryLate' },
          { text: 'HoldfastNoticesLate', link: '/docs/operations/runbook/HoldfastNoticesLate' },
          { text: 'HoldfastAuditLost', link: '/docs/operations/runbook/HoldfastAuditLost' },
          { text: 'HoldfastStreamsLost', link: '/docs/operations/runbook/HoldfastStreamsLost' },
          { text: 'HoldfastSlowReaders', link: '/docs/operations/runbook/HoldfastSlowReaders' },
          { text: 'HoldfastTenantsLimited', link: '/docs/operations/runbook/HoldfastTenantsLimited' },
          { text: 'HoldfastTenantFull', link: '/docs/operations/runbook/HoldfastTenantFull' },
          { text: 'HoldfastKeysGuessed', link: '/docs/operations/runbook/HoldfastKeysGuessed' },
          { text: 'HoldfastIssuersUnreachable', link: '/docs/operations/runbook/HoldfastIssuersUnreachable' },
          { text: 'HoldfastEventLoopLate', link: '/docs/operations/runbook/HoldfastEventLoopLate' },
        ],
      },
    ],
  },
  {
    text: 'More',
    items: [
      { text: 'Security', link: '/docs/security' },
      { text: 'Faults', link: '/docs/faults' },
      {
        text: 'Performance',
        link: '/docs/performance',
        collapsed: true,
        items: [{ text: 'Decisions about speed', link: '/docs/decisions/speed' }],
      },
      { text: 'Changes', link: '/CHANGELOG' },
      { text: 'Roadmap', link: '/ROADMAP' },
      { text: 'Contribute', link: '/CONTRIBUTING' },
      { text: 'Report a vulnerability', link: '/SECURITY' },
      { text: 'Code of conduct', link: '/CODE_OF_CONDUCT' },
    ],
  },
];
