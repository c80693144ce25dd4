import type { ObserveCall } from '@signalman/runtime'
import { webApi } from '@slack/bolt'
import { ObservedClient, SILENT } from '../../client/observed-client.ts'
import { isFinalReason, SocketsRefused } from './sockets-refused.ts'

/** Asks Slack for the address of a WebSocket. Throws SocketsRefused, and what `@slack/web-api` throws where asking again may help. */
export function createAskForAddress(
  appToken: string,
  apiUrl: string | undefined,
  observe?: ObserveCall | undefined,
): () => Promise<string> {
  const client = new ObservedClient(appToken, observe, {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
    logger: SILENT,
    ...(apiUrl && { slackApiUrl: apiUrl }),
  })
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
