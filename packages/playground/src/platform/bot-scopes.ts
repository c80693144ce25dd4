/** Scopes, grouped by prefix: `chat:write,write.public` stands for `chat:write` and `chat:write.public`. */
const FAMILIES = `
app_configurations:read,write app_mentions:read assistant:write bookmarks:read,write calls:read,write canvases:read,write
channels:history,join,manage,read,write.invites,write.topic chat:write,write.customize,write.public
conversations.connect:manage,read,write datastore:read,write dnd:read emoji:read files:read,write
groups:history,read,write,write.invites,write.topic im:history,read,write,write.topic links.embed:write links:read,write
lists:read,write mcp:connect metadata.message:read mpim:history,read,write,write.topic pins:read,write reactions:read,write
reminders:read,write remote_files:read,share,write search:read.enterprise,read.files,read.im,read.mpim,read.private,read.public,read.users
team.billing:read team.preferences:read team:read triggers:read,write usergroups:read,write users.profile:read
users:read,read.email,write workflow.steps:execute workflows.templates:read,write
`

/** All bot scopes (https://docs.slack.dev/reference/scopes, November 2026). */
export const BOT_SCOPES: ReadonlySet<string> = new Set([
  'commands',
  'incoming-webhook',
  'none',
  'tokens.basic',
  ...FAMILIES.trim()
    .split(/\s+/)
    .flatMap((family) => {
      const [prefix = '', variants = ''] = family.split(':')
      return variants.split(',').map((variant) => `${prefix}:${variant}`)
    }),
])
