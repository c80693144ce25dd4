import { defineConfig } from 'vitepress'

/** The pages of the site, by what somebody came for. Each is a file of `docs/`, and each file stands here once. */
const SIDEBAR = [
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
      { text: 'Many at once', link: '/use-many-checks' },
      { text: 'Watching', link: '/use-watching' },
      { text: 'Threat events', link: '/use-threats' },
      { text: 'Certificates', link: '/use-cert-orders' },
      { text: 'Access and audit', link: '/use-access' },
      { text: 'App Home', link: '/use-home' },
      { text: 'Workflows', link: '/use-workflows' },
      { text: 'Slackbot', link: '/use-slackbot' },
      { text: 'Work objects', link: '/use-work-objects' },
    ],
  },
  {
    text: 'Operate',
    items: [
      { text: 'Run it', link: '/operate' },
      { text: 'Back up and restore', link: '/backup' },
      { text: 'Keys', link: '/keys' },
      { text: 'Upgrade, and go back', link: '/upgrading' },
      { text: 'Scale', link: '/scale' },
      { text: 'When something is wrong', link: '/troubleshooting' },
    ],
  },
  {
    text: 'Security',
    items: [
      { text: 'Promises and threats', link: '/security' },
      { text: 'Personal data', link: '/personal-data' },
    ],
  },
  {
    text: 'Concepts',
    items: [
      { text: 'How it is built', link: '/architecture' },
      { text: 'States of an order', link: '/order-states' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Commands', link: '/commands' },
      { text: 'The program', link: '/program' },
      { text: 'Slack features and scopes', link: '/slack-features' },
      { text: 'Variables', link: '/variables' },
      { text: 'Metrics', link: '/metrics' },
      { text: 'Limits', link: '/limits' },
      { text: 'Files', link: '/files' },
      { text: 'Tables', link: '/data' },
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

/** Pages of one wide table, which has the room of the list of headings too. */
const WIDE = new Set(['commands.md', 'data.md', 'metrics.md', 'use-access.md', 'variables.md'])

/** What is no page: it can be opened beside the pages in the repository, and on the site it is a name. */
const isOutside = (href: string): boolean => !/^(?:https?:|#)/.test(href) && !/^[\w-]+\.md(?:#|$)/.test(href)

/** What is used here of a token of markdown-it. */
interface Token {
  type: string
  tag: string
  attrs: unknown
  attrGet(name: string): string | null
}

/** A link out of the site leads to a source of the repository, whose address nobody knows here: its text stays. */
function unlink(tokens: readonly Token[]): void {
  let isDropping = false
  for (const token of tokens) {
    const { type } = token
    if (type === 'link_open') isDropping = isOutside(token.attrGet('href') ?? '')
    if (isDropping && type.startsWith('link_'))
      Object.assign(token, { type: type.replace('link', 'span'), tag: 'span', attrs: null })
    if (type === 'link_close') isDropping = false
  }
}

export default defineConfig({
  title: 'Signalman',
  description: 'Health checks, threat events and certificate orders, answered in Slack.',
  // Nobody has drawn an icon, and nobody is to ask for one.
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
        for (const { children } of tokens) unlink(children ?? [])
      })
    },
  },
})
