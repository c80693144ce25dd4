import { createShortCache, lruOptions } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'
import type { SlackClients } from './clients.ts'
import type { SlackChannel } from './slack-client.ts'

interface ChannelOf {
  readonly workspace: { readonly workspaceId: string }
  readonly channelId: string
}

export type ChannelReader = ReturnType<typeof createChannelReader>

/** How many channels of a workspace are asked about one by one, before all are listed. Slack allows 50 questions a minute. */
const FEW = 10
const MAX_CHANNELS = 20_000

/**
 * Reads what Slack says about channels, and remembers each answer for `freshMs`. When more than a few channels of a workspace are asked
 * about in that time, lists all channels that the app is in: at most once in that time, with a request for each 999 of them. A channel
 * that isn't in the list, or about which the list doesn't say everything, is asked about alone; all are if Slack refuses the list.
 */
export function createChannelReader({
  clients,
  freshMs,
  now,
}: {
  readonly clients: Pick<SlackClients, 'forWorkspace'>
  readonly freshMs: number
  readonly now: () => Date
}) {
  /** By workspace and channel, with the time before Slack was asked. */
  const answers = new LRUCache<string, Answered>(lruOptions(MAX_CHANNELS))
  const listings = createShortCache<void>({ freshMs, maxEntries: MAX_CHANNELS, now })
  const counts = new LRUCache<string, { readonly at: number; asked: number }>(lruOptions(MAX_CHANNELS))

  function findFresh<T extends { readonly at: number }>(
    cache: Pick<LRUCache<string, T>, 'get'>,
    key: string,
  ): T | undefined {
    const found = cache.get(key)
    const ageMs = now().getTime() - (found?.at ?? 0)
    // If the clock was set back, the age is unknown.
    return found && ageMs >= 0 && ageMs < freshMs ? found : undefined
  }

  function isAmongFew(workspaceId: string): boolean {
    const count = findFresh(counts, workspaceId) ?? { at: now().getTime(), asked: 0 }
    counts.set(workspaceId, count)
    count.asked += 1
    return count.asked <= FEW
  }

  async function list({ workspaceId }: ChannelOf['workspace']): Promise<void> {
    const slack = await clients.forWorkspace({ workspaceId })
    let at = now().getTime()
    for await (const page of slack.listChannels()) {
      for (const [channelId, channel] of page)
        answers.set(`${workspaceId} ${channelId}`, { at, result: Promise.resolve(channel) })
      at = now().getTime()
    }
  }

  return {
    /** What Slack says about a channel, or said less than `freshMs` ago. Throws Slack's refusal. */
    async read({ workspace, channelId }: ChannelOf): Promise<SlackChannel> {
      const key = `${workspace.workspaceId} ${channelId}`
      const known = findFresh(answers, key)
      if (known) return known.result
      if (!isAmongFew(workspace.workspaceId)) {
        // Whatever the list doesn't say is asked about alone, and that tells why.
        await listings.get(workspace.workspaceId, () => list(workspace).catch(() => undefined))
        const listed = findFresh(answers, key)
        if (listed) return listed.result
      }
      const at = now().getTime()
      const result = clients.forWorkspace(workspace).then((slack) => slack.readChannel(channelId))
      const asked = { at, result }
      answers.set(key, asked)
      result.catch(() => answers.get(key) === asked && answers.delete(key))
      return result
    },
    /** Asks again about a channel the next time. */
    forget: ({ workspace, channelId }: ChannelOf): void =>
      void answers.delete(`${workspace.workspaceId} ${channelId}`),
  }
}

interface Answered {
  readonly at: number
  readonly result: Promise<SlackChannel>
}
