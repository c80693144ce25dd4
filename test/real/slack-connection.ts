import { setTimeout as pause } from 'node:timers/promises'
import { createAgent, rootCause } from '@signalman/runtime'
import { App, type BlockAction, SocketModeReceiver, webApi } from '@slack/bolt'
import type { ModalView } from '@slack/types'
import { SILENT_LOGGER } from '../../packages/slack/src/client/observed-client.ts'

/** A press of a button in the channel. */
export interface Press {
  readonly triggerId: string
  readonly responseUrl: string
  readonly userId: string
  /** The window that was opened right away, because a trigger works for three seconds; empty if Slack refused it. */
  readonly viewId: string
}

/** Answers a press, in a message that only its person sees unless `message` says otherwise. Resolves with the HTTP status. */
export async function respond({ responseUrl }: Press, message: object): Promise<number> {
  const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, ...message })
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS)
  return (await fetch(responseUrl, { method: 'POST', headers, body, signal })).status
}

/** The time between two calls of a method, which keeps within Slack's tiers 4 and 3: 100 and 50 calls a minute. */
const PACE_MS: Readonly<Record<string, number>> = { 'chat.postEphemeral': 600, 'views.update': 600 }
const DEFAULT_PACE_MS = 1200
const MAX_WAITS = 20
const PRESS_TIMEOUT_MS = 120_000
const SOCKET_TIMEOUT_MS = 30_000
const CALL_TIMEOUT_MS = 30_000

/** Slack's client, which calls each method at a steady pace, and waits as long as Slack asks. It repeats nothing else. */
class PatientClient extends webApi.WebClient {
  readonly #nextMs = new Map<string, number>()
  isPaced = true
  /** Once stopped, it only deletes. */
  isStopped = false

  override async apiCall(method: string, options?: Record<string, unknown>) {
    for (let waits = 0; ; waits += 1) {
      const now = performance.now()
      const atMs = Math.max(now, this.#nextMs.get(method) ?? 0)
      if (this.isPaced) this.#nextMs.set(method, atMs + (PACE_MS[method] ?? DEFAULT_PACE_MS))
      await pause(atMs - now)
      if (this.isStopped && !/\.delete$/.test(method)) throw new Error('The run was stopped.')
      try {
        return await super.apiCall(method, options)
      } catch (error) {
        if (!(error instanceof webApi.WebAPIRateLimitedError) || waits === MAX_WAITS) throw error
        await pause(error.retryAfter * 1000)
      }
    }
  }
}

/** Slack's words about a refused call: its code, and what it says besides. A page that something in between shows isn't Slack's. */
export function slackWords(error: unknown): string {
  if (!(error instanceof webApi.WebAPIPlatformError)) return `unreachable (${rootCause(error)})`
  if (!/^[a-z_]+$/.test(error.data.error)) return 'unreachable (something other than Slack responds)'
  return [error.data.error, ...(error.data.response_metadata?.messages ?? [])].join(' ')
}

export const slackCode = (error: unknown): string => slackWords(error).split(' ')[0] ?? ''

export const createWindow = (text: string): ModalView => ({
  type: 'modal',
  title: { type: 'plain_text', text: 'Signalman tries Slack' },
  blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }],
})
const WAITING = createWindow('Leave this window open until it says that you can close it.')

export interface SlackAccess {
  botToken: string
  appToken: string
  channel: string
  apiUrl?: string | undefined
  /** False in tests, whose Slack has no limits. */
  isPaced?: boolean
  socketTimeoutMs?: number
}

export type Slack = Awaited<ReturnType<typeof connectSlack>>

async function failAfter(ms: number): Promise<never> {
  await pause(ms, undefined, { ref: false })
  throw new Error(`Slack opened no socket within ${ms / 1000} s.`)
}

/** Connects in Socket Mode. Remembers what is posted, so that it can be deleted. */
export async function connectSlack({
  botToken,
  appToken,
  channel,
  apiUrl,
  isPaced = true,
  socketTimeoutMs = SOCKET_TIMEOUT_MS,
}: SlackAccess) {
  const logger = SILENT_LOGGER
  const clientOptions = {
    ...{ logger, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, timeout: CALL_TIMEOUT_MS },
    ...(apiUrl && { slackApiUrl: apiUrl }),
  }
  const client = new PatientClient(botToken, clientOptions)
  client.isPaced = isPaced
  const dispatcher = createAgent()
  const receiver = new SocketModeReceiver({
    appToken,
    dispatcher,
    logger,
    installerOptions: { clientOptions },
  })
  const app = new App({ token: botToken, receiver, logger, clientOptions, deferInitialization: true })
  const hello = Promise.withResolvers<unknown>()
  receiver.client.on('ws_message', (data: unknown) => {
    const { type, num_connections } = JSON.parse(String(data))
    if (type === 'hello') hello.resolve(num_connections)
  })
  const presses = new Map<string, (press: Press) => void>()
  app.action<BlockAction>(/^try/, async ({ ack, body, action: { action_id } }) => {
    await ack()
    const { trigger_id, response_url: responseUrl } = body
    // The second press is for a trigger that is too old, so it opens nothing.
    const opening = action_id === 'try' ? client.views.open({ trigger_id, view: WAITING }) : undefined
    const viewId = (await opening?.catch(() => undefined))?.view?.id ?? ''
    presses.get(action_id)?.({ triggerId: trigger_id, responseUrl, userId: body.user.id, viewId })
  })
  await app.init()
  const self = await client.auth.test()
  // Bolt tries without an end.
  const opening = Promise.all([hello.promise, app.start()])
  const [connections] = await Promise.race([opening, failAfter(socketTimeoutMs)]).catch(async (error) => {
    await app.stop()
    await dispatcher.destroy()
    throw error
  })
  const posted = new Set<string>()
  const posting = new Set<Promise<unknown>>()
  const files = new Set<string>()
  async function remove(ts: string): Promise<void> {
    await client.chat.delete({ channel, ts })
    posted.delete(ts)
  }
  /** Deletes what is left of what was posted. Returns how many messages and files Slack didn’t delete. */
  async function removeAll(): Promise<number> {
    const ignore = () => undefined
    await Promise.allSettled(posting)
    for (const ts of [...posted].toReversed()) await remove(ts).catch(ignore)
    for (const file of files) await client.files.delete({ file }).then(() => files.delete(file), ignore)
    return posted.size + files.size
  }
  return {
    client,
    channel,
    self,
    /** The IDs of uploaded files. */
    files,
    /** How many programs use the app-level token. */
    connections,
    remove,
    removeAll,
    /** Stops the run, and deletes what it posted. Everything else is refused from then on. */
    stop(): Promise<number> {
      client.isStopped = true
      return removeAll()
    },
    /** Posts in the channel, and returns the `ts`. */
    async post(message: object): Promise<string> {
      const noUnfurl = { unfurl_links: false, unfurl_media: false }
      const call = client.chat.postMessage({ channel, text: '', ...noUnfurl, ...message })
      posting.add(call)
      try {
        const { ts = '' } = await call
        posted.add(ts)
        return ts
      } finally {
        posting.delete(call)
      }
    },
    /** Waits for a press of the button with this ID. Undefined if nobody presses it in time. */
    press: (actionId: string, timeoutMs = PRESS_TIMEOUT_MS): Promise<Press | undefined> =>
      Promise.race([
        new Promise<Press>((resolve) => presses.set(actionId, resolve)),
        pause(timeoutMs, undefined, { ref: false }),
      ]),
    [Symbol.asyncDispose]: async () => {
      await removeAll()
      await app.stop()
      await dispatcher.destroy()
    },
  }
}
