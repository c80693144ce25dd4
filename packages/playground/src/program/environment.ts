import { delimiter, join } from 'node:path'
import type { Playground } from '../start.ts'

const PRELOAD = join(import.meta.dirname, 'preload.cjs')
const PYTHON = join(import.meta.dirname, 'python')

/** A path as NODE_OPTIONS takes it: quoted, with its own quotes and backslashes escaped. */
const quoted = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&')}"`

/**
 * What an app on Slack's libraries reads: tokens, secrets, the port to listen on, and the Web API's address. Its Node loads
 * preload.cjs, and its Python sitecustomize.py, so that one which knows no variable for that address finds the playground
 * too. What OAuth needs is there for an app that uses it: Bolt for Python takes it for a wish to.
 * (https://docs.slack.dev/tools/bolt-python/concepts/authenticating-oauth, November 2026)
 */
export function environmentFor(
  playground: Pick<
    Playground,
    'url' | 'apiUrl' | 'botToken' | 'appToken' | 'clientId' | 'clientSecret' | 'usesOAuth' | 'webhookUrl'
  >,
  {
    signingSecret,
    port,
    nodeOptions = '',
    pythonPath = '',
  }: {
    signingSecret: string
    port: number
    nodeOptions?: string | undefined
    pythonPath?: string | undefined
  },
): Record<string, string> {
  return {
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_APP_TOKEN: playground.appToken,
    SLACK_SIGNING_SECRET: signingSecret,
    ...(playground.usesOAuth && {
      SLACK_CLIENT_ID: playground.clientId,
      SLACK_CLIENT_SECRET: playground.clientSecret,
      SLACK_STATE_SECRET: 'playground-state-secret',
    }),
    ...(playground.webhookUrl && { SLACK_WEBHOOK_URL: playground.webhookUrl }),
    SLACK_API_URL: playground.apiUrl,
    PORT: String(port),
    SIGNALMAN_PLAYGROUND_URL: playground.url,
    NODE_OPTIONS: `${nodeOptions} --require ${quoted(PRELOAD)}`.trim(),
    PYTHONPATH: [PYTHON, ...(pythonPath ? [pythonPath] : [])].join(delimiter),
  }
}
