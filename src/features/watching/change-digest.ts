import type { Message } from '../../blocks/message.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { nextDigest } from '../../domain/watching/digest-time.ts'
import type { WatchStore } from '../../store/store.ts'
import type { TypedDigest } from './parse/watch-line.ts'
import { withDigest } from './views/watch-outcomes.ts'

/** Sets or ends the daily summary of a channel; returns the message with a line about it. */
export async function changeDigest(
  { watching }: { watching: Pick<WatchStore, 'digests'> },
  context: CommandContext,
  channelId: string,
  typed: TypedDigest,
  told: Message,
): Promise<Message> {
  const { workspaceId, enterpriseId, environment, userId, now } = context
  const { timeZone: own = 'UTC' } = await context.actor()
  const terms = typed === 'off' ? undefined : { hour: typed.hour, timeZone: typed.timeZone ?? own }
  await context.change(
    { verb: '/hc watch', object: `digest ${channelId}`, after: terms ?? 'off', isRepeatable: true },
    async () => {
      if (!terms) return void (await watching.digests.remove(workspaceId, channelId, environment))
      const place = { workspaceId, enterpriseId, channelId, environment }
      await watching.digests.set(place, terms, { userId, now, next: nextDigest(terms, now) })
    },
  )
  return withDigest(told, terms)
}
