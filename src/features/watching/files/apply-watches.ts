import { newId, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { ButtonTooOld } from '../../../bot/buttons/button-too-old.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { permitTelling } from '../channel.ts'
import type { WatchCommandParts } from '../commands/mutes.ts'
import { addStep } from '../keep-watch.ts'
import { watchLine } from '../parse/watch-line.ts'
import type { WatchStore } from '../rows/watching.ts'
import { nextDigest } from '../rules/due.ts'
import type { Watch } from '../rules/watch.ts'
import { appliedView, fileSentView } from '../views/files.ts'
import { type FiledDigest, type FiledWatch, type FiledWatches, fileOf } from './watch-file.ts'

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
  const ids = await context.keep('ids', async () => plan.added.map(newId))
  const closed = await context.keep('closed', () => closedChannels(context, [...plan.added, ...plan.digests]))
  const added = plan.added
    .map((one, index) => ({ ...one, id: ids[index] ?? '' }))
    .filter(({ channelId }) => !closed.includes(channelId))
  const { workspaceId, enterpriseId, userId, now } = context
  for (const one of added) await addStep(watching, context, '/hc watch-apply', one)
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

/** What a file would change. */
export interface WatchPlan {
  added: readonly FiledWatch[]
  digests: readonly FiledDigest[]
  /** Watches that would end; only when everything that is not in the file is to end. */
  ended: readonly Watch[]
  same: number
}

/** Compares a file with the watches: two are the same when their channels and their lines are. */
export async function planWatches(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  { workspaceId }: Pick<Requester, 'workspaceId'>,
  filed: FiledWatches,
  deletes: boolean,
): Promise<WatchPlan> {
  const [present, summed] = await Promise.all([watches.list(workspaceId), digests.list(workspaceId)])
  const keys = new Set(present.map(keyOf))
  const wanted = new Map(filed.watches.map((one) => [keyOf({ ...one, ...one.terms }), one]))
  const hasDigest = ({ channelId, environment, digest }: FiledDigest): boolean =>
    summed.some(
      (one) =>
        one.channelId === channelId &&
        one.environment === environment &&
        one.hour === digest.hour &&
        one.timeZone === (digest.timeZone ?? 'UTC'),
    )
  return {
    added: [...wanted].flatMap(([key, one]) => (keys.has(key) ? [] : [one])),
    digests: filed.digests.filter((one) => !hasDigest(one)),
    ended: deletes ? present.filter((watch) => !wanted.has(keyOf(watch))) : [],
    same: [...wanted.keys()].filter((key) => keys.has(key)).length,
  }
}

const keyOf = (watch: Pick<Watch, 'channelId' | 'environment'> & Parameters<typeof watchLine>[0]): string =>
  `${watch.channelId} ${watch.environment} ${watchLine(watch)}`

const NAME = 'watches.json'

/** Sends every watch and digest of the workspace as a file to the person's direct messages. */
export async function exportWatches(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  context: CommandContext,
): Promise<Message> {
  const [found, summed] = await Promise.all([
    watches.list(context.workspaceId),
    digests.list(context.workspaceId),
  ])
  if (found.length + summed.length === 0)
    throw new UserError('No channel watches anything yet: there is nothing to export.')
  const body = Buffer.from(`${JSON.stringify(fileOf(found, summed), null, 2)}\n`)
  const slack = await context.slack()
  const told = fileSentView(found.length, NAME)
  await context.change(
    { verb: '/hc watches', object: 'export', after: { watches: found.length, digests: summed.length } },
    async () => {
      const posted = await context.tell(context.userId, told)
      await slack.upload(
        { channelId: posted.channelId },
        { name: NAME, title: 'Watches', body, bytes: body.length },
      )
    },
  )
  return told
}
