import type { AddressInfo } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { registerAuthorizePage } from '../api/authorize.ts'
import { registerWebApi } from '../api/call.ts'
import { createFaults } from '../api/faults.ts'
import { registerFileRoutes } from '../api/file-routes.ts'
import { registerIncomingWebhooks, registerResponseUrls } from '../api/hooks.ts'
import { createCodes } from '../api/oauth-codes.ts'
import { registerPictures } from '../api/picture-route.ts'
import { createRateLimiter, type RateLimitMode } from '../api/rate-limits.ts'
import { applyScenario } from '../control/apply.ts'
import { registerControlApi } from '../control/control-api.ts'
import type { HostPanel } from '../control/host-panel.ts'
import { registerPage } from '../control/page.ts'
import { createRecorder } from '../control/recorder.ts'
import { registerStreamRoutes } from '../control/stream.ts'
import { createAppClient } from '../delivery/app-client.ts'
import { sendAppMessageEvents } from '../delivery/app-messages.ts'
import { createAppWarnings } from '../delivery/app-warnings.ts'
import { createSockets, isWebSocketUpgrade } from '../delivery/sockets.ts'
import { registerGuard } from '../http/guard.ts'
import { readManifest } from '../manifest/manifest.ts'
import type { SlashCommand } from '../protocol/protocol.ts'
import type { Level } from '../rules/rule.ts'
import { readScenario } from '../scenario/scenario.ts'
import { createClock } from '../state/clock.ts'
import { createEventLog } from '../state/event-log.ts'
import { createFiles, FILE_LIMIT_BYTES } from '../state/files.ts'
import { createInstalls } from '../state/installs.ts'
import { createJournal } from '../state/journal.ts'
import { createMessages } from '../state/messages.ts'
import { activeTeamId, createPeople } from '../state/people.ts'
import { createSchedule } from '../state/schedule.ts'
import { USER_GROUPS } from '../state/seed.ts'
import { openStore } from '../state/store.ts'
import { createTickets } from '../state/tickets.ts'
import { createViews } from '../state/views.ts'
import type { Slack } from '../state/world.ts'
import { SLACK_ONLY } from '../validation/check.ts'

export interface PlaygroundOptions {
  /** The default is 0, any free port. */
  port?: number
  /**
   * The app's base URL, which replaces the hosts in the manifest's URLs. If the manifest has no URL for a request, the request goes to
   * `/slack/events` on this base URL. By default, requests go to the manifest's URLs unchanged.
   */
  appUrl?: string
  signingSecret: string
  botToken?: string
  /** The app-level token, for Socket Mode; `xapp-playground` by default. */
  appToken?: string
  /** The app's OAuth credentials; `playground-client` and `playground-client-secret` by default. */
  clientId?: string
  clientSecret?: string
  /** The app's manifest: its name, commands, shortcuts, events, and scopes. */
  manifestPath: string
  /**
   * Scopes of the manifest that the bot token lacks, as if someone had declined them or installed the app with an older manifest.
   */
  missingScopes?: readonly string[]
  /** Overrides the manifest's commands. */
  commands?: SlashCommand[]
  /** Panels that people can open next to the conversation. */
  panels?: readonly HostPanel[]
  /**
   * The rules that apply to blocks and text: by default only `slack`. `careful` also rejects unescaped `&`, `<`, and `>` in
   * mrkdwn.
   */
  levels?: readonly Level[]
  /** The initial messages, oldest first. `channel` and `user` are IDs. */
  messages?: readonly { channel: string; user: string; text: string }[]
  /** A SQLite file for channels, messages, and files. By default, they are lost when the playground stops. */
  storePath?: string
  /** A scenario file with the initial people, channels, messages, faults, and time. */
  scenarioPath?: string
  now?: () => Date
  /**
   * Rate limits. `slack` (the default) allows one post per second and channel. `tiers` adds the limits of Slack's tiers for each
   * method. `off` disables both.
   */
  rate?: RateLimitMode
  limits?: {
    /** How long the app may take to acknowledge; 3000 by default, as in Slack. */
    ackTimeoutMs?: number
    /** How long a trigger ID is valid; 3000 by default, as in Slack. */
    triggerLifeMs?: number
    /**
     * The delay before each retry of an event; [0, 1000, 5000] by default. Slack retries immediately, after 1 minute, and after 5
     * minutes.
     */
    eventRetryMs?: readonly number[]
    /** How long the page waits for the app's first Web API call before it shows a warning; 5000 by default. */
    noCallsWarningMs?: number
  }
  /** Called with warnings about the app, for example if it makes no Web API calls or has exited. */
  onWarning?: (text: string) => void
}

export interface Playground extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string
  /** `${url}/api/`, the value for `SLACK_API_URL`. */
  apiUrl: string
  /** An incoming webhook for #general, if the manifest has incoming webhooks. */
  webhookUrl?: string | undefined
  botToken: string
  appToken: string
  /** The values for `SLACK_CLIENT_ID` and `SLACK_CLIENT_SECRET`. */
  clientId: string
  clientSecret: string
  /** Whether the manifest enables Socket Mode. */
  isSocketMode: boolean
  /** Whether the manifest has redirect URLs, so that people can install the app with OAuth. */
  usesOAuth: boolean
  /** The number of open WebSockets of the app (Socket Mode). */
  socketCount(): number
  /** Changes the app's base URL for later requests. */
  setAppUrl(url: string): void
  /** Call this when the app has started. The page then shows a warning if the app makes no Web API calls. */
  expectCalls(): void
  /** Shows a warning on the page and passes it to `onWarning`. With `appExited`, drivers stop waiting for answers. */
  warn(text: string, appExited?: boolean): void
}

/** Slack's limits, but with shorter delays between retries of events. */
const DEFAULT_LIMITS = {
  ackTimeoutMs: 3000,
  triggerLifeMs: 3000,
  eventRetryMs: [0, 1000, 5000],
  noCallsWarningMs: 5000,
}

function buildSlack(
  options: PlaygroundOptions,
  botToken: string,
  url: () => string,
  closing: AbortSignal,
): Slack {
  const clock = createClock(options.now ?? (() => new Date()))
  const { now } = clock
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const manifest = readManifest(options.manifestPath)
  const log = createEventLog()
  const store = openStore(options.storePath ?? ':memory:')
  const journal = createJournal(log, now)
  const people = createPeople(manifest.botName, store, { now, url })
  const firstTeamId = people.workspaces[0]?.id ?? ''
  const findTeamId = (user: string) => {
    const person = people.find(user)
    return person ? activeTeamId(person) : firstTeamId
  }
  const sockets = createSockets(limits.ackTimeoutMs, now)
  const messages = createMessages(log, people, store, now)
  const views = createViews(log, findTeamId, now)
  return {
    people,
    store,
    messages,
    clock,
    recorder: createRecorder({ people, messages, views, now }),
    schedule: createSchedule(messages, now),
    views,
    files: createFiles(now, url, store, people),
    tickets: createTickets(now, limits.triggerLifeMs),
    journal,
    appWarnings: createAppWarnings(
      journal,
      log,
      limits.noCallsWarningMs,
      options.onWarning ?? (() => undefined),
    ),
    log,
    appClient: createAppClient({
      appUrl: options.appUrl,
      requestUrls: manifest.requestUrls,
      sockets: manifest.isSocketMode ? sockets : undefined,
      signingSecret: options.signingSecret,
      ackTimeoutMs: limits.ackTimeoutMs,
      journal,
      now,
    }),
    sockets,
    appToken: options.appToken ?? 'xapp-playground',
    faults: createFaults(),
    manifest: { ...manifest, commands: options.commands ?? manifest.commands },
    levels: options.levels ?? SLACK_ONLY,
    offeredOptions: new Map(),
    steps: new Map(),
    groups: USER_GROUPS.map((group) => ({ ...group })),
    panes: new Map(),
    previews: new Map(),
    url,
    panels: options.panels ?? [],
    installs: createInstalls({
      id: firstTeamId,
      token: botToken,
      scopes: manifest.scopes.filter((scope) => !options.missingScopes?.includes(scope)),
      channel: manifest.hasWebhook ? people.findChannel('general', () => true)?.id : undefined,
    }),
    oauth: {
      clientId: options.clientId ?? 'playground-client',
      clientSecret: options.clientSecret ?? 'playground-client-secret',
      codes: createCodes(now),
    },
    now,
    rateLimiter: createRateLimiter(options.rate ?? 'slack', now),
    eventRetryMs: limits.eventRetryMs,
    closing,
    seed(): void {
      for (const { channel, user, text } of options.messages ?? [])
        messages.post({ channel, user, text, app: false })
    },
  }
}

function buildServer(slack: Slack): FastifyInstance {
  const app = fastify({
    bodyLimit: FILE_LIMIT_BYTES + 64 * 1024,
    forceCloseConnections: true,
    http: { shouldUpgradeCallback: isWebSocketUpgrade },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  registerGuard(app)
  registerWebApi(app, slack)
  registerResponseUrls(app, slack)
  registerIncomingWebhooks(app, slack)
  registerAuthorizePage(app, slack)
  registerFileRoutes(app, slack)
  registerPictures(app)
  registerControlApi(app, slack)
  registerStreamRoutes(app, slack)
  registerPage(app)
  return app
}

/**
 * Starts a playground on 127.0.0.1: the Web API, the page, and the API for the page and the driver (protocol.ts). Rejects if the port
 * is in use. Disposing closes all connections and cancels pending retries.
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const closing = new AbortController()
  let url = ''
  const botToken = options.botToken ?? 'xoxb-playground'
  const slack = buildSlack(options, botToken, () => url, closing.signal)
  if (slack.people.channels().every(({ id }) => slack.messages.list(id).length === 0)) slack.seed()
  sendAppMessageEvents(slack)
  for (const warning of slack.manifest.unsupported) slack.appWarnings.warn(warning)
  if (options.scenarioPath) applyScenario(slack, readScenario(options.scenarioPath))
  const app = buildServer(slack)
  slack.sockets.attach(app.server)
  const close = async () => {
    closing.abort()
    slack.appClient.close()
    slack.sockets.close()
    slack.schedule.close()
    slack.appWarnings.close()
    await app.close()
    slack.store.close()
  }
  try {
    await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  } catch (error) {
    await close()
    throw error
  }
  // Servers that listen on TCP have an address object.
  const { port } = app.server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  const [webhook] = slack.installs.webhooks()
  return {
    url,
    apiUrl: `${url}/api/`,
    webhookUrl: webhook && url + webhook.path,
    botToken,
    appToken: slack.appToken,
    clientId: slack.oauth.clientId,
    clientSecret: slack.oauth.clientSecret,
    isSocketMode: slack.manifest.isSocketMode,
    usesOAuth: slack.manifest.usesOAuth,
    socketCount: slack.sockets.count,
    setAppUrl: slack.appClient.setTarget,
    expectCalls: slack.appWarnings.expectCalls,
    warn: slack.appWarnings.warn,
    [Symbol.asyncDispose]: close,
  }
}
