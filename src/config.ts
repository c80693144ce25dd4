import { readProxies } from '@signalman/runtime'
import { readSecretFiles } from './config/secret-files.ts'
import { findUnknownVariables } from './config/unknown-variables.ts'
import { pickSetVariables, Variables } from './config/variables.ts'

export interface Config {
  slack: {
    /** How requests arrive: signed, over HTTP; or over WebSockets that the app opens (Socket Mode). */
    receive: { signingSecret: string } | { appToken: string }
    apiUrl: string | undefined
    /** One workspace, with a configured bot token; or many, which install the app themselves. */
    tenants: { botToken: string } | { oauth: { clientId: string; clientSecret: string; stateSecret: string } }
  }
  service: {
    baseUrl: string
    oteBaseUrl: string | undefined
    tokens: { production?: string; ote?: string }
  }
  databaseUrl: string
  encryptionKeys: string | undefined
  port: number
  /** A port for `/metrics` alone; by default, it is served on the main port. */
  metricsPort: number | undefined
  /** Where Slack reaches the app: its origin. */
  publicUrl: string | undefined
  /** Called each minute while everything works. Whoever knows it can keep the monitor quiet, so it's a secret. */
  heartbeatUrl: string | undefined
  host: string
  logLevel: string
  commandPrefix: string
  /** Whether guests can use Signalman to look things up. */
  guestsCanView: boolean
  /** After how many days audit entries are deleted; undefined keeps them. */
  auditRetentionDays: number | undefined
  /** The time between two polls of watched checks. */
  watchIntervalSeconds: number
}

/** Lists every problem of the configuration in one message, which is safe to print: it names variables, never their values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** One sentence each, with the fix after a semicolon. */
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a problem' : `${faults.length} problems`}:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    )
    this.faults = faults
  }
}

/** The address of a local server on this host and port. A server that listens on all addresses is reachable on 127.0.0.1. */
export function localUrl({ host, port }: { host: string; port: number | string }): string {
  const reachableHost = host === '' || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost}:${port}`
}

const OAUTH = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const
const OAUTH_FIXES: Readonly<Record<(typeof OAUTH)[number], string>> = {
  SLACK_CLIENT_ID: 'copy it from Basic Information → App Credentials of the Slack app',
  SLACK_CLIENT_SECRET: 'copy it from Basic Information → App Credentials of the Slack app',
  SLACK_STATE_SECRET: 'create one with: openssl rand -base64 32',
}

type Environment = Readonly<Record<string, string | undefined>>
type GivenVariables = Readonly<Partial<Record<string, string>>>

/** The app needs a signing secret or an app-level token. If both are set, it uses Socket Mode. */
const findReceiveFaults = ({ SLACK_SIGNING_SECRET, SLACK_APP_TOKEN }: GivenVariables): string[] =>
  SLACK_SIGNING_SECRET || SLACK_APP_TOKEN
    ? []
    : [
        'SLACK_SIGNING_SECRET isn’t set; copy it from Basic Information → App Credentials of the Slack app, or set SLACK_APP_TOKEN for Socket Mode',
      ]

/** Checks combinations of variables: one workspace or many, but not a mix. */
function findTenantFaults(given: GivenVariables): string[] {
  const oauth = OAUTH.filter((name) => name in given)
  if (given.SLACK_BOT_TOKEN)
    return oauth.length === 0
      ? []
      : [
          `${oauth.join(', ')} and SLACK_BOT_TOKEN are both set; keep SLACK_BOT_TOKEN for one workspace, or the others for many`,
        ]
  if (oauth.length === 0)
    return [
      'SLACK_BOT_TOKEN isn’t set; copy the Bot User OAuth Token from OAuth & Permissions of the Slack app, or for many workspaces set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET instead',
    ]
  // A shared token would show one workspace's checks to all others.
  const shared = ['API_TOKEN', 'API_OTE_TOKEN'].filter((name) => name in given)
  return [
    ...OAUTH.filter((name) => !(name in given)).map((name) => `${name} isn’t set; ${OAUTH_FIXES[name]}`),
    ...shared.map(
      (name) => `${name} is for one workspace; with many, each workspace stores its own with /hc connect`,
    ),
  ]
}

/** With SQLite, a missing key is created next to the file. With PostgreSQL, there's no place for it. */
const findKeyFaults = (given: GivenVariables): string[] =>
  given.DATABASE_URL?.startsWith('postgres') && !('ENCRYPTION_KEYS' in given)
    ? [
        'ENCRYPTION_KEYS isn’t set, and PostgreSQL needs it; create one with: echo "k1:$(openssl rand -base64 32)"',
      ]
    : []

/** With one address for both, a change with `--env ote` would happen in production. */
function findServiceFaults({
  API_BASE_URL = '',
  API_OTE_BASE_URL = '',
  API_OTE_TOKEN,
}: GivenVariables): string[] {
  if (API_OTE_TOKEN && !API_OTE_BASE_URL)
    return ['API_OTE_TOKEN is set, but API_OTE_BASE_URL isn’t; set it, or remove the token']
  const normalize = (url: string) => URL.parse(url)?.href.replace(/\/+$/, '')
  const ote = normalize(API_OTE_BASE_URL)
  return ote !== undefined && ote === normalize(API_BASE_URL)
    ? [
        'API_OTE_BASE_URL is the same address as API_BASE_URL; give the address of the test environment, or remove it',
      ]
    : []
}

/** Without this check, the metrics server would fail with a message that blames another copy of Signalman. */
const findPortFaults = ({ PORT = '3000', METRICS_PORT = '0' }: GivenVariables): string[] =>
  Number(METRICS_PORT) !== 0 && Number(METRICS_PORT) === Number(PORT)
    ? ['METRICS_PORT is the same as PORT; remove it to serve /metrics on PORT, or set another port']
    : []

/** Without this check, connections would go past the proxy. */
const findProxyFaults = (environment: Environment): string[] =>
  readProxies(environment).isWrong
    ? [
        'HTTPS_PROXY or HTTP_PROXY isn’t a URL; give the address of the proxy, such as http://proxy.example.com:3128',
      ]
    : []

/** Docker's --env-file and systemd take quotes and a comment as part of the value, which `.env` doesn't. */
const findSpellingFaults = (given: GivenVariables): string[] =>
  Object.keys(Variables.shape).flatMap((name) => {
    const value = given[name] ?? ''
    if (/\s#/.test(value))
      return [`${name} has a comment behind its value; move the comment to a line of its own`]
    return /^(["'])[\s\S]*\1$/.test(value)
      ? [`${name} is in quotes, which may become part of the value; remove them`]
      : []
  })

/** Reads the environment once. Throws ConfigError with all problems. */
export function readConfig(given: Environment): Config {
  const { environment, faults: fileFaults } = readSecretFiles(given)
  const givenVariables = pickSetVariables(environment)
  const parsed = Variables.safeParse(givenVariables)
  const spellingFaults = findSpellingFaults(givenVariables)
  const variableFaults =
    parsed.error?.issues
      .map(({ path, message }) => `${path.join('.')} ${message}`)
      // A value with a comment or quotes has further faults, all for the same reason.
      .filter((fault) => !spellingFaults.some((known) => known.split(' ')[0] === fault.split(' ')[0])) ?? []
  const otherFaults = [
    ...[findReceiveFaults, findTenantFaults, findKeyFaults, findServiceFaults, findPortFaults].flatMap(
      (findFaults) => findFaults(givenVariables),
    ),
    ...findUnknownVariables(environment),
    ...findProxyFaults(environment),
    ...spellingFaults,
    ...fileFaults,
  ]
  if (!parsed.success || otherFaults.length > 0) throw new ConfigError([...variableFaults, ...otherFaults])
  const variables = parsed.data
  return {
    slack: {
      // `findReceiveFaults` has checked that one of the two is set.
      receive: variables.SLACK_APP_TOKEN
        ? { appToken: variables.SLACK_APP_TOKEN }
        : { signingSecret: variables.SLACK_SIGNING_SECRET ?? '' },
      apiUrl: variables.SLACK_API_URL,
      tenants: variables.SLACK_BOT_TOKEN
        ? { botToken: variables.SLACK_BOT_TOKEN }
        : {
            oauth: {
              // `findTenantFaults` has checked that all three are set if the bot token isn't.
              clientId: variables.SLACK_CLIENT_ID ?? '',
              clientSecret: variables.SLACK_CLIENT_SECRET ?? '',
              stateSecret: variables.SLACK_STATE_SECRET ?? '',
            },
          },
    },
    service: {
      baseUrl: variables.API_BASE_URL,
      oteBaseUrl: variables.API_OTE_BASE_URL,
      tokens: {
        ...(variables.API_TOKEN && { production: variables.API_TOKEN }),
        ...(variables.API_OTE_TOKEN && { ote: variables.API_OTE_TOKEN }),
      },
    },
    databaseUrl: variables.DATABASE_URL,
    encryptionKeys: variables.ENCRYPTION_KEYS,
    port: variables.PORT,
    metricsPort: variables.METRICS_PORT,
    publicUrl: variables.PUBLIC_URL && new URL(variables.PUBLIC_URL).origin,
    heartbeatUrl: variables.HEARTBEAT_URL,
    host: variables.HOST,
    logLevel: variables.LOG_LEVEL,
    commandPrefix: variables.COMMAND_PREFIX,
    guestsCanView: variables.GUESTS_CAN_VIEW,
    auditRetentionDays: variables.AUDIT_RETENTION_DAYS,
    watchIntervalSeconds: variables.WATCH_INTERVAL_SECONDS,
  }
}
