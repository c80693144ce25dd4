import { createHmac } from 'node:crypto'

/** The signing secret of every server in the benchmarks. */
export const SIGNING_SECRET = 'signing-secret-of-the-bench'
export const BOT_TOKEN = 'xoxb-bench'
/** Several processes share it. */
export const ENCRYPTION_KEYS = `bench:${Buffer.alloc(32, 'b').toString('base64')}`

/** The IDs of a benchmark's workspaces. Each has its own token, so that the app doesn't share requests between them. */
export const listWorkspaces = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `T${100_000 + index}`)
/** The most channels in which a workspace watches its checks. */
export const MAX_CHANNELS = 200
/** A channel in which a workspace watches its checks. */
export const channelOf = (workspace: string, nth = 0): string => `${workspace.replace('T', 'C')}N${nth}`
export const workspaceOfChannel = (channel: string): string => channel.replace('C', 'T').replace(/N\d+$/, '')
/** Begins with a letter that is rare in the service's answers, as most tokens do: they are searched for it. */
export const serviceTokenFor = (workspace: string): string => `Qz7-${workspace}-of-the-bench`

/** The sender of a command, and where its answer goes. */
interface Sender {
  /** Makes every request different, because the app answers a repeated request from its cache. */
  id: number
  workspace: string
  responseUrl: string
}

/** A slash command with its fields in Slack's order. */
export function commandForm({ id, workspace, responseUrl }: Sender, text: string): string {
  return new URLSearchParams({
    token: 'gIkuvaNzQIHg97ATvDxqgjtO',
    team_id: workspace,
    team_domain: 'example',
    channel_id: 'C2147483705',
    channel_name: 'operations',
    user_id: 'U2147483697',
    user_name: 'somebody',
    command: '/hc',
    text,
    api_app_id: 'A0123456789',
    is_enterprise_install: 'false',
    response_url: responseUrl,
    trigger_id: `13345224609.738474920.${id}`,
  }).toString()
}

/** A signed request, as Slack sends it. */
export function sign(body: string): { headers: Record<string, string>; body: string } {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex')
  return {
    body,
    headers: {
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      'accept-encoding': 'gzip,deflate',
      accept: 'application/json,*/*',
      'x-slack-signature': `v0=${signature}`,
      'x-slack-request-timestamp': String(timestamp),
      'content-type': 'application/x-www-form-urlencoded',
    },
  }
}
