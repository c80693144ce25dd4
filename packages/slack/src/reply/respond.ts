// This folder sends messages to a response_url.

import { createAgent, createShares, limitTime, type ObserveCall, observed } from '@signalman/runtime'
import { request } from 'undici'
import type { Message } from '../blocks/message.ts'

const HOOKS_HOST = 'hooks.slack.com'
const TIMEOUT_MS = 10_000
/** All answers go to one host. If one workspace's answers hang, the others still have three quarters of the connections. */
const CONNECTIONS = 128
const CONNECTIONS_PER_WORKSPACE = 32
const HEADERS = { 'content-type': 'application/json' }
/** Larger than any response of Slack. */
const MAX_RESPONSE_BYTES = 64 * 1024
const CALL = { to: 'slack', method: 'response_url' } as const
const describeFailure = (): string => 'refused'

export type Responder = ReturnType<typeof createResponder>

/** Serializes a message for a response_url. */
export const serializeAnswer = ({ text, blocks }: Message, inPlace = false): Buffer =>
  Buffer.from(
    JSON.stringify({
      response_type: 'ephemeral',
      replace_original: inPlace,
      text,
      blocks,
      unfurl_links: false,
      unfurl_media: false,
    }),
  )

/** Posts to response_urls on `hooks.slack.com` over TLS or on the host of `apiUrl` (tests), and nowhere else. */
export function createResponder(
  apiUrl: string | undefined,
  observe?: ObserveCall | undefined,
  timeoutMs = TIMEOUT_MS,
) {
  const agent = createAgent({
    connections: CONNECTIONS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
  })
  const shares = createShares(CONNECTIONS)
  const ownHost = apiUrl ? new URL(apiUrl).host : undefined

  const isSlackUrl = ({ protocol, host }: URL): boolean =>
    (protocol === 'https:' && host === HOOKS_HOST) || host === ownHost

  async function send(url: URL, body: Buffer, signal: AbortSignal): Promise<void> {
    const options = { dispatcher: agent, method: 'POST', headers: HEADERS, body, signal } as const
    const response = await request(url, options)
    const text = await response.body.text()
    if (response.statusCode >= 300) throw createRefusalError(response.statusCode, text)
  }

  return {
    /**
     * Answers a command or a click, using the workspace's share of connections. Throws if Slack rejects the answer (because the URL
     * is used up or expired), if no connection is free in time, or if the URL isn't Slack's.
     */
    async respond(
      { responseUrl, workspaceId }: { responseUrl: string; workspaceId: string },
      body: Buffer,
    ): Promise<void> {
      const url = URL.parse(responseUrl)
      // The URL is a credential for the channel, so it's never part of an error.
      if (!url || !isSlackUrl(url)) throw new Error('The response_url isn’t Slack’s.')
      // One limit for the wait for a connection and the exchange together, so that it also limits how long a stopping app waits.
      using limit = limitTime(timeoutMs)
      const { signal } = limit
      await shares.run({ name: workspaceId, max: () => CONNECTIONS_PER_WORKSPACE }, signal, () =>
        observed(observe, CALL, () => send(url, body, signal), describeFailure),
      )
    },
    [Symbol.asyncDispose]: (): Promise<void> => agent.destroy(),
  }
}

/** Extracts Slack's error code: in JSON, or as the whole text. The error never contains any other text of the response. */
function createRefusalError(status: number, responseText: string): Error {
  const [, plainCode, jsonCode] =
    /^\s*([a-z_]{3,60})\s*$|"error"\s*:\s*"([a-z_]{3,60})"/.exec(responseText) ?? []
  const code = plainCode ?? jsonCode
  return new Error(`Slack refused the answer with status ${status}${code ? `: ${code}` : ''}.`)
}

/** Whether Slack rejected the blocks themselves. It would reject them again on any other surface. */
export const isBlocksError = (error: unknown): boolean =>
  error instanceof Error && /invalid_blocks/.test(error.message)
