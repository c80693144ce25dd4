import { join } from 'node:path'
import type { Playground } from '../start.ts'

const PRELOAD = join(import.meta.dirname, 'preload.cjs')

/** A path as NODE_OPTIONS takes it: quoted, with its own quotes and backslashes escaped. */
const quoted = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&')}"`

/**
 * What an app on Slack's libraries reads: tokens, secrets, the port to listen on, and the Web API's address. Its Node loads
 * preload.cjs, so that one which knows no variable for that address finds the playground too.
 */
export function environmentFor(
  playground: Pick<Playground, 'url' | 'apiUrl' | 'botToken' | 'appToken' | 'clientId' | 'clientSecret'>,
  {
    signingSecret,
    port,
    nodeOptions = '',
  }: { signingSecret: string; port: number; nodeOptions?: string | undefined },
): Record<string, string> {
  return {
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_APP_TOKEN: playground.appToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_CLIENT_ID: playground.clientId,
    SLACK_CLIENT_SECRET: playground.clientSecret,
    SLACK_STATE_SECRET: 'playground-state-secret',
    SLACK_API_URL: playground.apiUrl,
    PORT: String(port),
    SIGNALMAN_PLAYGROUND_URL: playground.url,
    NODE_OPTIONS: `${nodeOptions} --require ${quoted(PRELOAD)}`.trim(),
  }
}
