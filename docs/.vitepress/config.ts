import { defineConfig } from 'vitepress'

/** The pages of the site, grouped by task. A test checks that each file in `docs/` is listed exactly once. */
const SIDEBAR = [
  {
    text: 'Try',
    items: [{ text: 'Is it for me?', link: '/is-it-for-me' }],
  },
  {
    text: 'Install',
    items: [
      { text: 'Socket Mode', link: '/install' },
      { text: 'HTTP', link: '/install-http' },
      { text: 'Many workspaces', link: '/install-workspaces' },
      { text: 'Container', link: '/install-container' },
      { text: 'Kubernetes', link: '/install-kubernetes' },
      { text: 'The first run', link: '/first-run' },
    ],
  },
  {
    text: 'Use',
    items: [
      { text: 'Health checks', link: '/use-health-checks' },
      { text: 'Bulk changes', link: '/use-many-checks' },
      { text: 'Outage notifications', link: '/use-watching' },
      { text: 'What a watch posts', link: '/what-the-channel-reads' },
      { text: 'Threat events', link: '/use-threats' },
      { text: 'Certificate orders', link: '/use-cert-orders' },
      { text: 'Roles and audit log', link: '/use-access' },
      { text: 'App Home', link: '/use-home' },
      { text: 'Dates and times', link: '/dates-and-times' },
      { text: 'Workflow steps', link: '/use-workflows' },
      { text: 'Slackbot', link: '/use-slackbot' },
      { text: 'Work objects', link: '/use-work-objects' },
    ],
  },
  {
    text: 'Operate',
    items: [
      { text: 'Operations', link: '/operate' },
      { text: 'Backup and restore', link: '/backup' },
      { text: 'Encryption keys', link: '/keys' },
      { text: 'Upgrade and downgrade', link: '/upgrading' },
      { text: 'Scaling', link: '/scale' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
  },
  {
    text: 'Security',
    items: [
      { text: 'Security model', link: '/security' },
      { text: 'Who can see what', link: '/who-can-see-what' },
      { text: 'Personal data', link: '/personal-data' },
    ],
  },
  {
    text: 'Concepts',
    items: [
      { text: 'Architecture', link: '/architecture' },
      { text: 'Order states', link: '/order-states' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Commands', link: '/commands' },
      { text: 'Command line', link: '/program' },
      { text: 'Slack features and scopes', link: '/slack-features' },
      { text: 'Environment variables', link: '/variables' },
      { text: 'Metrics', link: '/metrics' },
      { text: 'Limits', link: '/limits' },
      { text: 'Files', link: '/files' },
      { text: 'Data retention', link: '/data' },
    ],
  },
  {
    text: 'Contribute',
    items: [
      { text: 'If you know Bolt', link: '/if-you-know-bolt' },
      { text: 'Add a command', link: '/add-a-command' },
      { text: 'Where things are', link: '/contribute' },
      { text: 'Dependencies', link: '/dependencies' },
    ],
  },
]

/** Pages with one wide table, which also uses the space of the outline. */
const WIDE = new Set(['commands.md', 'data.md', 'metrics.md', 'variables.md', 'who-can-see-what.md'])

/** Whether a link leads to a file in the repository that isn't a page of the site. */
const isRepositoryFile = (href: string): boolean =>
  !/^(?:https?:|#)/.test(href) && !/^[\w-]+\.md(?:#|$)/.test(href)

/** The fields of a markdown-it token that are used here. */
interface Token {
  type: string
  tag: string
  attrs: unknown
  attrGet(name: string): string | null
}

/** Turns links to files in the repository into plain text, because the site doesn't know the repository's address. */
function removeRepositoryLinks(tokens: readonly Token[]): void {
  let isInRemovedLink = false
  for (const token of tokens) {
    const { type } = token
    if (type === 'link_open') isInRemovedLink = isRepositoryFile(token.attrGet('href') ?? '')
    if (isInRemovedLink && type.startsWith('link_'))
      Object.assign(token, { type: type.replace('link', 'span'), tag: 'span', attrs: null })
    if (type === 'link_close') isInRemovedLink = false
  }
}

export default defineConfig({
  // For reviewers, who read the file.
  srcExclude: ['dev/**'],
  title: 'Signalman',
  description: 'Health checks, threat events, and certificate orders, answered in Slack.',
  // There is no icon. Without this, browsers would request one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  transformPageData({ relativePath, frontmatter }) {
    if (WIDE.has(relativePath)) frontmatter.aside = false
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: SIDEBAR,
    outline: [2, 3],
  },
  markdown: {
    config(md) {
      md.core.ruler.push('outside-links', ({ tokens }) => {
        for (const { children } of tokens) removeRepositoryLinks(children ?? [])
      })
    },
  },
})
