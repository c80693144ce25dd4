import { fileURLToPath } from 'node:url'
import type { Playground } from './start.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that only the playground may set. With other values, the app wouldn't call this playground. */
const RESERVED = ['SLACK_API_URL']

/** Throws if the caller sets a reserved variable. */
export function checkReserved(variables: Environment = {}): void {
  const reserved = RESERVED.filter((name) => variables[name] !== undefined)
  if (reserved.length > 0)
    throw new Error(
      `Remove ${reserved.join(' and ')} from the app's variables. Otherwise, the app wouldn't call this playground.`,
    )
}

/**
 * Proxy variables that Node, Python, and their HTTP libraries read. Python reads them in upper or lower case, and axios also reads npm's settings
 * (https://docs.python.org/3/library/urllib.request.html, https://github.com/Rob--W/proxy-from-env, November 2026).
 */
const PROXY = /^(?:(?:npm_config|global_agent)_)?(?:(?:https?|all|wss?)_)?proxy$/i

/** Stops calls of Node apps to the real Slack. A bundle has it next to its own file. */
const GUARD = fileURLToPath(new URL('no-slack.cjs', import.meta.url))

/**
 * Builds the app's environment: the current one, the caller's `overrides`, and the variables that connect the app to the playground.
 * Proxy variables are removed, because a proxy may be on another machine.
 */
export function createEnvironment(
  playground: Pick<Playground, 'apiUrl' | 'botToken'>,
  {
    signingSecret,
    port,
    current = {},
    overrides = {},
  }: { signingSecret: string; port: number; current?: Environment; overrides?: Environment },
): Record<string, string> {
  const merged: Environment = {
    ...current,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_SIGNING_SECRET: signingSecret,
    ...overrides,
    SLACK_API_URL: playground.apiUrl,
    PORT: String(port),
  }
  const NODE_OPTIONS = `${merged.NODE_OPTIONS ?? ''} --require ${JSON.stringify(GUARD)}`.trim()
  return Object.fromEntries(
    Object.entries({ ...merged, NODE_OPTIONS }).flatMap(([name, value]) =>
      value === undefined || PROXY.test(name) ? [] : [[name, value]],
    ),
  )
}
