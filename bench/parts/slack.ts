import { createHmac } from 'node:crypto'

/** What every server of the bench is told, and what its requests are signed with. */
export const SIGNING_SECRET = 'a signing secret of the bench'
export const BOT_TOKEN = 'xoxb-bench'

export interface CommandFields {
  /** No two requests of a run are alike: real ones are not, and repeats are answered from memory. */
  id: number
  workspace: string
  text: string
  responseUrl: string
}

/** A slash command as Slack sends it, in Slack's own order of fields, and ready to be written to a connection. */
export function commandRequest(host: string, fields: CommandFields): Buffer {
  const form = new URLSearchParams({
    token: 'gIkuvaNzQIHg97ATvDxqgjtO',
    team_id: fields.workspace,
    team_domain: 'example',
    channel_id: 'C2147483705',
    channel_name: 'operations',
    user_id: 'U2147483697',
    user_name: 'somebody',
    command: '/hc',
    text: fields.text,
    api_app_id: 'A0123456789',
    is_enterprise_install: 'false',
    response_url: fields.responseUrl,
    trigger_id: `13345224609.738474920.${fields.id}`,
  })
  const body = form.toString()
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
    `Content-Length: ${body.length}`,
    'Content-Type: application/x-www-form-urlencoded',
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Workspaces of the bench, each with a token of its own: what they ask for at once is not shared between them. */
export const WORKSPACES = Array.from({ length: 8 }, (_, index) => `T${1000 + index}`)
export const tokenOf = (workspace: string): string => `token-of-${workspace}-for-the-bench`
