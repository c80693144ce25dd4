import type { Message } from '../../blocks/message.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { momentOf, wallTimeOf } from '../../domain/zoned-time.ts'
import type { WatchStore } from '../../store/store.ts'
import type { TypedDigest } from './parse/watch-line.ts'
import { withDigest } from './views/watch-outcomes.ts'

/** Sets the daily summary of a channel, or takes it away; returns the message with a line about it. */
export async function changeDigest(
  { watching }: { watching: Pick<WatchStore, 'digests'> },
  ask: CommandContext,
  channelId: string,
  typed: TypedDigest,
  told: Message,
): Promise<Message> {
  const { workspaceId, enterpriseId, environment, userId, now } = ask
  const { timeZone: own = 'UTC' } = await ask.actor()
  const terms = typed === 'off' ? undefined : { hour: typed.hour, timeZone: typed.timeZone ?? own }
  await ask.change(
    { verb: '/hc watch', object: `digest ${channelId}`, after: terms ?? 'off', isRepeatable: true },
    async () => {
      if (!terms) return void (await watching.digests.remove(workspaceId, channelId, environment))
      const place = { workspaceId, enterpriseId, channelId, environment }
      await watching.digests.set(place, terms, { userId, now, next: nextAt(terms.hour, terms.timeZone, now) })
    },
  )
  return withDigest(told, terms)
}

/** When a clock in the zone shows this hour next. */
export function nextAt(hour: number, timeZone: string, now: Date): Date {
  const today = { ...wallTimeOf(now, timeZone), hour, minute: 0 }
  const at = momentOf(today, timeZone)
  return at > now ? at : momentOf({ ...today, day: today.day + 1 }, timeZone)
}
