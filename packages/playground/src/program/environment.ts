import { delimiter, join } from 'node:path'
import type { Playground } from '../start.ts'

const PRELOAD = join(import.meta.dirname, 'preload.cjs')
const PYTHON = join(import.meta.dirname, 'python')

type Environment = Readonly<Record<string, string | undefined>>

/** A path as NODE_OPTIONS takes it: quoted, with its own quotes and backslashes escaped. */
const quoted = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&')}"`

/** Variables with which a caller would send an app somewhere other than this playground. */
const RESERVED = ['SLACK_API_URL', 'SIGNALMAN_PLAYGROUND_URL', 'SLACK_WEBHOOK_URL']

/** Throws if a caller's variables would lead an app away from the playground. */
export function refuseReserved(given: Environment = {}): void {
  const reserved = RESERVED.filter((name) => given[name] !== undefined)
  if (reserved.length > 0)
    throw new Error(
      `The app can't be started with its own ${reserved.join(' or ')}: it would call something else than this playground.`,
    )
}

/**
 * Proxies that Node, Python, and their HTTP libraries read. Python reads `*_proxy` in any case, and axios also reads npm's settings
 * (https://docs.python.org/3/library/urllib.request.html, https://github.com/Rob--W/proxy-from-env, November 2026).
 */
const PROXY = /^(?:(?:npm_config|global_agent)_)?(?:(?:https?|all|wss?)_)?proxy$/i

/**
 * The environment an app is started with: the present one, `given` by the caller over it, and over both what makes the app find the
 * playground. Tokens, secrets, and `PORT` may be given; lists of loaded code (`NODE_OPTIONS`, `PYTHONPATH`) are merged. The app's Node
 * loads preload.cjs and its Python sitecustomize.py, so that a library which knows no variable for Slack's address finds the playground
 * too. Proxies are left out, because they would carry requests to other machines.
 * Bolt for Python uses OAuth as soon as a client ID is set, so it is set only for manifests with redirect URLs.
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
    present = {},
    given = {},
  }: { signingSecret: string; port: number; present?: Environment; given?: Environment },
): Record<string, string> {
  const both: Environment = {
    ...present,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_APP_TOKEN: playground.appToken,
    SLACK_SIGNING_SECRET: signingSecret,
    ...(playground.usesOAuth && {
      SLACK_CLIENT_ID: playground.clientId,
      SLACK_CLIENT_SECRET: playground.clientSecret,
      SLACK_STATE_SECRET: 'playground-state-secret',
    }),
    ...(playground.webhookUrl && { SLACK_WEBHOOK_URL: playground.webhookUrl }),
    ...given,
    SLACK_API_URL: playground.apiUrl,
    PORT: String(port),
    SIGNALMAN_PLAYGROUND_URL: playground.url,
    NODE_OPTIONS: joined(' ', [present.NODE_OPTIONS, given.NODE_OPTIONS, `--require ${quoted(PRELOAD)}`]),
    PYTHONPATH: joined(delimiter, [PYTHON, given.PYTHONPATH, present.PYTHONPATH]),
  }
  return Object.fromEntries(
    Object.entries(both).flatMap(([name, value]) =>
      value === undefined || PROXY.test(name) ? [] : [[name, value]],
    ),
  )
}

const joined = (separator: string, parts: readonly (string | undefined)[]): string =>
  [...new Set(parts.filter((part) => part !== undefined && part !== ''))].join(separator)
