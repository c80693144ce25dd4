// This folder: starting the playground, and an app beside it.

import type { AddressInfo } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { registerAuthorizePage } from '../api/authorize.ts'
import { createCallHandler, registerWebApi } from '../api/call.ts'
import { createFaults } from '../api/faults.ts'
import { registerFileRoutes } from '../api/file-routes.ts'
import { registerResponseUrls } from '../api/hooks.ts'
import type { OAuth, SocketMode } from '../api/oauth.ts'
import { createCodes } from '../api/oauth-codes.ts'
import { type ControlParts, registerControlApi } from '../control/control-api.ts'
import type { HostPanel } from '../control/host-panel.ts'
import { registerPage } from '../control/page.ts'
import { type AppLink, createAppLink } from '../delivery/app-link.ts'
import { sendAppMessageEvents } from '../delivery/app-messages.ts'
import { createSockets, isWebSocketUpgrade } from '../delivery/sockets.ts'
import { registerGuard } from '../http/guard.ts'
import { readManifest } from '../manifest/manifest.ts'
import { FILE_LIMIT_BYTES } from '../state/files.ts'
import { createWorld, type World } from '../state/world.ts'

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
  /** The app's OAuth secret; `playground-client-secret` by default. */
  clientSecret?: string
  /** The app's manifest: its name, commands, shortcuts, events, and scopes. */
  manifestPath: string
  /**
   * Scopes of the manifest that the bot token lacks, as if someone had declined them or installed the app with an older manifest.
   */
  missingScopes?: readonly string[]
  /** Panels that people can open next to the conversation. */
  panels?: readonly HostPanel[]
  now?: () => Date
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
  }
}

export interface Playground extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string
  /** `${url}/api/`, the value for `SLACK_API_URL`. */
  apiUrl: string
  botToken: string
  appToken: string
  /** The values for `SLACK_CLIENT_ID` and `SLACK_CLIENT_SECRET`. */
  clientId: string
  clientSecret: string
  /** The number of open WebSockets of the app (Socket Mode). */
  socketCount(): number
  /** Changes the app's base URL for later requests. */
  setAppUrl(url: string): void
}

/** Slack's limits, but with shorter delays between retries of events. */
const DEFAULT_LIMITS = {
  ackTimeoutMs: 3000,
  triggerLifeMs: 3000,
  eventRetryMs: [0, 1000, 5000],
}

function openWorld(options: PlaygroundOptions, botToken: string, url: () => string): World {
  const manifest = readManifest(options.manifestPath)
  return createWorld({
    manifest,
    url,
    systemNow: options.now ?? (() => new Date()),
    botToken,
    scopes: manifest.scopes.filter((scope) => !options.missingScopes?.includes(scope)),
    triggerLifeMs: options.limits?.triggerLifeMs ?? DEFAULT_LIMITS.triggerLifeMs,
  })
}

interface ServerParts extends ControlParts {
  link: AppLink
  oauth: OAuth
  socketMode: SocketMode
}

/** Replaces Fastify's compilers of schemas, which it would otherwise load at the start. */
function rejectSchemas(): never {
  throw new Error('Routes of the playground have no schemas.')
}

function buildServer(world: World, parts: ServerParts): FastifyInstance {
  const { link, oauth, closing } = parts
  const app = fastify({
    bodyLimit: FILE_LIMIT_BYTES + 64 * 1024,
    forceCloseConnections: true,
    schemaController: { compilersFactory: { buildValidator: rejectSchemas, buildSerializer: rejectSchemas } },
    http: { shouldUpgradeCallback: isWebSocketUpgrade },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  registerGuard(app)
  const handleCall = createCallHandler({ world, faults: parts.faults, closing })
  registerWebApi(app, { ...parts, world, handleCall })
  registerResponseUrls(app, world, handleCall)
  registerAuthorizePage(app, world, { oauth, appOrigin: link.origin })
  registerFileRoutes(app, world)
  registerControlApi(app, world, link, parts)
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
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const world = openWorld(options, botToken, () => url)
  const { manifest, now } = world
  const sockets = createSockets(limits.ackTimeoutMs, now)
  const link = createAppLink({
    world,
    appUrl: options.appUrl,
    sockets: manifest.isSocketMode ? sockets : undefined,
    signingSecret: options.signingSecret,
    ackTimeoutMs: limits.ackTimeoutMs,
    eventRetryMs: limits.eventRetryMs,
    closing: closing.signal,
  })
  const faults = createFaults()
  const oauth: OAuth = {
    clientId: 'playground-client',
    clientSecret: options.clientSecret ?? 'playground-client-secret',
    codes: createCodes(now),
  }
  const appToken = 'xapp-playground'
  sendAppMessageEvents(world, link)
  const app = buildServer(world, {
    link,
    faults,
    panels: options.panels ?? [],
    sockets,
    oauth,
    socketMode: { appToken, sockets },
    closing: closing.signal,
  })
  sockets.attach(app.server)
  const close = async () => {
    closing.abort()
    link.close()
    sockets.close()
    await app.close()
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
  return {
    url,
    apiUrl: `${url}/api/`,
    botToken,
    appToken,
    clientId: oauth.clientId,
    clientSecret: oauth.clientSecret,
    socketCount: sockets.count,
    setAppUrl: link.setTarget,
    [Symbol.asyncDispose]: close,
  }
}
