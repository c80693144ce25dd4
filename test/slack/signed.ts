import { createHmac } from 'node:crypto'

export interface SignedRequest {
  body: string
  headers: Record<string, string>
}

/** Signs a request as Slack does, independently of the app's own verifier. */
export function signRequest(
  secret: string,
  body: string,
  options: { at?: Date; json?: boolean; timestamp?: string } = {},
): SignedRequest {
  const timestamp = options.timestamp ?? String(Math.floor((options.at ?? new Date()).getTime() / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  return {
    body,
    headers: {
      'content-type': options.json ? 'application/json' : 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
  }
}

export const commandBody = (fields: Record<string, string> = {}): string =>
  new URLSearchParams({
    command: '/hc',
    text: '',
    team_id: 'T1',
    user_id: 'U1',
    channel_id: 'C1',
    trigger_id: '1.2.3',
    ...fields,
  }).toString()
