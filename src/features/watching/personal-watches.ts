import { newId } from '@signalman/runtime'
import { isDirect } from '@signalman/slack'
import type { PersonalWatches } from '../../bot/ports.ts'
import { resolveWatchChannel } from './channel.ts'
import type { WatchStore } from './rows/watching.ts'
import type { WatchRule, WatchSettings } from './rules/watch.ts'
import { addWatchStep } from './save-watch.ts'

/** Reports an outage after two bad polls, and reminds once a day. */
const SETTINGS: Omit<WatchSettings, 'filter'> = { afterBadPolls: 2, notify: 'once', reminderHours: 24 }

/** Lets other features watch one check for a person. Alerts go to the person's direct messages. */
export const personalWatches = ({ watches }: Pick<WatchStore, 'watches'>): PersonalWatches => ({
  async start(context, verb, { uuid, name, target }) {
    const { environment } = context
    const channelId = await context.remember('watched in', () => resolveWatchChannel(context, { me: true }))
    const existing = await watches.list(context.workspaceId, { channelId, environment })
    const id = await context.remember('watch', async () => newId())
    // After a crash, a retry finds its own watch, and then repeats the step, which is harmless.
    if (existing.some((watch) => watch.id !== id && isPersonalWatch(watch.filter.include, uuid))) return
    // With the target in the filter, the watch stops matching if the check's target changes.
    const include: WatchRule[] = [
      { field: 'uuid', pattern: uuid, label: name },
      { field: 'target', pattern: target },
    ]
    const settings = { ...SETTINGS, filter: { include, exclude: [] } }
    await addWatchStep({ watches }, context, verb, { id, channelId, environment, settings })
  },

  async stop({ workspaceId, environment, now }, uuid) {
    for (const { id, channelId, filter } of await watches.list(workspaceId, { environment }))
      if (isDirect(channelId) && isPersonalWatch(filter.include, uuid))
        await watches.remove(workspaceId, id, now)
  },
})

/** Whether `start` created this watch. */
const isPersonalWatch = (include: readonly WatchRule[], uuid: string): boolean =>
  include.length === 2 &&
  include.some(({ field, pattern }) => field === 'uuid' && pattern === uuid) &&
  include.some(({ field }) => field === 'target')
