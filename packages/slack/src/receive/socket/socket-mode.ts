import type { ObserveCall } from '@signalman/runtime'
import { webApi } from '@slack/bolt'
import { ObservedClient } from '../../client/clients.ts'
import { webApiOptions } from '../../client/slack-client.ts'
import { keepSocketOpen } from './keep-socket-open.ts'
import { type LinkParts, SOCKET_TIMES, type SocketTimes } from './link.ts'
import { createPool, createSocketShare, isFinalReason, mendOf, SocketsRefused } from './pool.ts'

/** Two: when the network cuts one without a sign, the other still works. */
const SOCKETS_PER_PROCESS = 2

export type SocketMode = ReturnType<typeof startSocketMode>

interface SocketModeParts extends Pick<LinkParts, 'take' | 'log'> {
  askForAddress: () => Promise<string>
  /** How many processes of the app there are: together they have ten sockets. */
  processes: () => Promise<number>
  times?: Partial<SocketTimes> | undefined
}

/**
 * Keeps two WebSockets to Slack open. A new one is opened, and has Slack's hello, before an old one is closed; one that
 * is cut is replaced at once; what cannot be opened is tried again, with full jitter, until Slack says that it is no use.
 * Where more than four processes share the ten sockets that Slack allows an app, each keeps one only. Disposing of it acknowledges
 * what has come in, and closes every socket.
 */
export function startSocketMode(parts: SocketModeParts) {
  const { log } = parts
  const times = { ...SOCKET_TIMES, ...parts.times }
  const stopping = new AbortController()
  const { signal } = stopping
  const pool = createPool({ ...parts, times, signal })
  let refusal: string | undefined
  function giveUp(reason: string): void {
    refusal = reason
    log.error({ event: 'socket-mode-refused', reason }, `${mendOf(reason)}.`)
    stopping.abort()
  }
  const share = createSocketShare(parts.processes, log, times.lookEveryMs)
  const sockets = Array.from({ length: SOCKETS_PER_PROCESS }, (_, index) =>
    keepSocketOpen({ pool, times, log, signal, giveUp, share, index }),
  )

  async function close(): Promise<void> {
    share[Symbol.dispose]()
    stopping.abort()
    await Promise.all(sockets)
    await pool.retireAll()
  }

  return {
    /** Throws with the reason unless a socket is open and has given a sign of life lately. */
    async check(): Promise<void> {
      if (refusal !== undefined) throw new SocketsRefused(refusal)
      if (!pool.isAnyAlive()) throw new Error('No socket to Slack is open.')
    },
    counts: pool.counts,
    [Symbol.asyncDispose]: close,
  }
}

/** Asks Slack for the address of a WebSocket. Throws SocketsRefused, and what `@slack/web-api` throws where asking again may help. */
export function createAskForAddress(
  appToken: string,
  apiUrl: string | undefined,
  observe?: ObserveCall | undefined,
): () => Promise<string> {
  const client = new ObservedClient(appToken, observe, webApiOptions(apiUrl))
  const ownHost = apiUrl ? new URL(apiUrl).host : undefined
  return async () => {
    try {
      const { url = '' } = await client.apps.connections.open({})
      const address = URL.parse(url)
      if (address?.protocol === 'wss:' || (address?.protocol === 'ws:' && address.host === ownHost))
        return url
      // The address is a key: it never goes into an error.
      throw new Error('Slack gave an address that is no wss:// one.')
    } catch (error) {
      const code = codeOf(error)
      throw code !== undefined && isFinalReason(code) ? new SocketsRefused(code) : error
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof webApi.WebAPIPlatformError ? error.data.error : undefined
}
