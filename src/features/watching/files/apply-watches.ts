import { randomBytes } from 'node:crypto'
import type { Message } from '../../../blocks/message.ts'
import { ButtonTooOld } from '../../../bot/buttons/button-too-old.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { nextDigest } from '../../../domain/watching/digest-time.ts'
import { UserError } from '../../../errors.ts'
import { permitTelling } from '../channel.ts'
import type { WatchCommandParts } from '../commands/mutes.ts'
import { appliedView } from '../views/files.ts'
import { planWatches } from './plan-watches.ts'
import type { FiledWatches } from './watch-file.ts'

interface KeptFile {
  filed: FiledWatches
  deletes: boolean
}

/** Makes the watches of a file that was tried, each once. Channels that the app cannot post to are left out and named. */
export async function applyWatches(
  parts: WatchCommandParts,
  context: CommandContext,
  stateId: string,
): Promise<Message> {
  const { watching, ephemeralState } = parts
  // Sealed by the form under this workspace, hence of this type.
  const kept = (await ephemeralState.find(context.workspaceId, stateId, context.now)) as KeptFile | undefined
  if (!kept) throw new ButtonTooOld({ forgets: 'the file', next: 'Choose it again.' })
  const plan = await context.keep('plan', () => planWatches(watching, context, kept.filed, kept.deletes))
  const ids = await context.keep('ids', async () =>
    plan.added.map(() => randomBytes(16).toString('base64url')),
  )
  const closed = await context.keep('closed', () => closedChannels(context, [...plan.added, ...plan.digests]))
  const added = plan.added
    .map((one, index) => ({ ...one, id: ids[index] ?? '' }))
    .filter(({ channelId }) => !closed.includes(channelId))
  const { workspaceId, enterpriseId, userId, now } = context
  for (const { id, channelId, environment, terms } of added)
    await context.change(
      {
        verb: '/hc watch-apply',
        object: `watch ${id}`,
        environment,
        after: { channelId, ...terms },
        isRepeatable: true,
      },
      async () =>
        void (await watching.watches.add({
          workspaceId,
          enterpriseId,
          channelId,
          environment,
          ...terms,
          id,
          ownerId: userId,
          madeAt: now,
        })),
    )
  const digests = plan.digests.filter(({ channelId }) => !closed.includes(channelId))
  for (const { channelId, environment, digest } of digests) {
    const { hour, timeZone = 'UTC' } = digest
    await context.change(
      {
        verb: '/hc watch-apply',
        object: `digest ${channelId} ${environment}`,
        after: { hour, timeZone },
        isRepeatable: true,
      },
      async () => {
        const place = { workspaceId, enterpriseId, channelId, environment }
        await watching.digests.set(
          place,
          { hour, timeZone },
          { userId, now, next: nextDigest({ hour, timeZone }, now) },
        )
      },
    )
  }
  for (const { id, channelId, filter } of plan.ended)
    await context.change(
      { verb: '/hc watch-apply', object: `watch ${id}`, before: { channelId, filter }, isRepeatable: true },
      async () => void (await watching.watches.remove(workspaceId, id, now)),
    )
  return appliedView({ added: added.length, digests: digests.length, ended: plan.ended.length, closed })
}

/** Channels that the app cannot post to. */
async function closedChannels(
  context: CommandContext,
  places: readonly { channelId: string }[],
): Promise<string[]> {
  const closed: string[] = []
  for (const channelId of new Set(places.map((one) => one.channelId))) {
    try {
      await permitTelling(context, channelId, { isSure: true, line: '' })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      closed.push(channelId)
    }
  }
  return closed
}
