import { createHmac } from 'node:crypto'

/** The signing secret of every server in the benchmarks. */
export const SIGNING_SECRET = 'signing-secret-of-the-bench'
export const BOT_TOKEN = 'xoxb-bench'
/** Needed with PostgreSQL. With SQLite, the app stores a key next to the database file. */
export const ENCRYPTION_KEYS = `bench:${Buffer.alloc(32, 'b').toString('base64')}`

/** The IDs of a benchmark's workspaces. Each has its own token, so that the app doesn't share requests between them. */
export const listWorkspaces = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `T${100_000 + index}`)
export const serviceTokenFor = (workspace: string): string => `token-of-${workspace}-for-the-bench`

/** The sender of a request, and where its answer goes. */
export interface Sender {
  /** Makes every request different, because the app answers a repeated request from its cache. */
  id: number
  workspace: string
  user: string
  responseUrl: string
}

/** A slash command with its fields in Slack's order. */
export function commandForm({ id, workspace, user, responseUrl }: Sender, text: string): string {
  return new URLSearchParams({
    token: 'gIkuvaNzQIHg97ATvDxqgjtO',
    team_id: workspace,
    team_domain: 'example',
    channel_id: 'C2147483705',
    channel_name: 'operations',
    user_id: user,
    user_name: 'somebody',
    command: '/hc',
    text,
    api_app_id: 'A0123456789',
    is_enterprise_install: 'false',
    response_url: responseUrl,
    trigger_id: `13345224609.738474920.${id}`,
  }).toString()
}

/** A press of a button in the app's latest answer. */
export function pressForm({ id, workspace, user, responseUrl }: Sender, action: object): string {
  return payloadForm({
    type: 'block_actions',
    ...personFields(workspace, user),
    container: {
      type: 'message',
      message_ts: '1700000000.000100',
      channel_id: 'C2147483705',
      is_ephemeral: true,
    },
    trigger_id: `13345224609.738474920.${id}`,
    channel: { id: 'C2147483705', name: 'operations' },
    response_url: responseUrl,
    actions: [{ type: 'button', block_id: 'bench', action_ts: `${id}.000100`, ...action }],
  })
}

/** The event that someone opened App Home. Unlike other requests, events are JSON. */
export const homeOpenedBody = ({ id, workspace, user }: Sender): string =>
  JSON.stringify({
    token: 'gIkuvaNzQIHg97ATvDxqgjtO',
    team_id: workspace,
    api_app_id: 'A0123456789',
    type: 'event_callback',
    event_id: `Ev${id}`,
    event_time: 1_700_000_000,
    authorizations: [{ team_id: workspace, user_id: 'U0BOT', is_bot: true }],
    event: { type: 'app_home_opened', user, tab: 'home', channel: 'D1', event_ts: `${id}.000100` },
  })

const personFields = (workspace: string, user: string) => ({
  team: { id: workspace, domain: 'example' },
  user: { id: user, username: 'somebody', team_id: workspace },
  api_app_id: 'A0123456789',
  token: 'gIkuvaNzQIHg97ATvDxqgjtO',
})

const payloadForm = (payload: object): string =>
  new URLSearchParams({ payload: JSON.stringify(payload) }).toString()

/** A signed request, ready to be written to a connection. */
export function signedRequest(host: string, body: string): Buffer {
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex')
  const head = [
    'POST /slack/events HTTP/1.1',
    `Host: ${host}`,
    'User-Agent: Slackbot 1.0 (+https://api.slack.com/robots)',
    'Accept-Encoding: gzip,deflate',
    'Accept: application/json,*/*',
    `X-Slack-Signature: v0=${signature}`,
    `X-Slack-Request-Timestamp: ${timestamp}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Content-Type: application/${body.startsWith('{') ? 'json' : 'x-www-form-urlencoded'}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
