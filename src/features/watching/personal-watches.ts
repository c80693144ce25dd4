import { newId } from '@signalman/runtime'
import { isDirect } from '@signalman/slack'
import type { PersonalWatches } from '../../bot/ports.ts'
import { channelAsked } from './channel.ts'
import { addStep } from './keep-watch.ts'
import type { WatchStore } from './rows/watching.ts'
import type { WatchRule, WatchTerms } from './rules/watch.ts'

/** Down is believed after two bad polls. Whoever asked is reminded once a day until it is up, or watched no more. */
const TERMS: Omit<WatchTerms, 'filter'> = { afterBadPolls: 2, notify: 'once', reminderHours: 24 }

/** Watches of single checks that other features make for a person, in their direct messages. */
export const personalWatches = ({ watches }: Pick<WatchStore, 'watches'>): PersonalWatches => ({
  async start(context, verb, { uuid, name, target }) {
    const { environment } = context
    const channelId = await context.keep('watched in', () => channelAsked(context, { me: true }))
    const before = await watches.list(context.workspaceId, { channelId, environment })
    const id = await context.keep('watch', async () => newId())
    if (before.some((watch) => watch.id !== id && isOfCheck(watch.filter.include, uuid))) return
    // With its target in the filter, nothing is reported of a check that looks elsewhere by now.
    const include: WatchRule[] = [
      { field: 'uuid', pattern: uuid, label: name },
      { field: 'target', pattern: target },
    ]
    const terms = { ...TERMS, filter: { include, exclude: [] } }
    await addStep({ watches }, context, verb, { id, channelId, environment, terms })
  },

  async stop({ workspaceId, environment, now }, uuid) {
    for (const { id, channelId, filter } of await watches.list(workspaceId, { environment }))
      if (isDirect(channelId) && isOfCheck(filter.include, uuid)) await watches.remove(workspaceId, id, now)
  },
})

/** Whether it is one that `start` made. */
const isOfCheck = (include: readonly WatchRule[], uuid: string): boolean =>
  include.length === 2 &&
  include.some(({ field, pattern }) => field === 'uuid' && pattern === uuid) &&
  include.some(({ field }) => field === 'target')
