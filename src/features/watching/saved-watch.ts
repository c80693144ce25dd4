import { hashVersion, refuseIfOutdated, type ShownSetting } from '../../bot/windows/window-states.ts'
import type { WatchStore } from './rows/watching.ts'
import { describeFilter } from './rules/filter-fields.ts'
import type { WatchChannel } from './rules/watch.ts'
import { describeSettings, formatWatchLine, pickSettings, type WatchValues } from './rules/watch-fields.ts'

export type SavedWatch = Awaited<ReturnType<typeof readSavedWatch>>

/** Reads the saved settings that the watch window edits: those of the watch and of the channel's daily summary. */
export async function readSavedWatch(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  { workspaceId, channelId, environment }: WatchChannel,
  replacedId: string | undefined,
) {
  const watch = replacedId === undefined ? undefined : await watches.find(workspaceId, replacedId)
  const digest = await digests.find(workspaceId, channelId, environment)
  return {
    settings: watch && pickSettings(watch),
    digest: digest && { hour: digest.hour, timeZone: digest.timeZone },
  }
}

/** Throws UserError if the settings were changed after the window was opened. */
export function refuseStaleWindow(
  shownVersion: string | undefined,
  saved: SavedWatch,
  values: WatchValues,
): void {
  if (shownVersion === undefined || shownVersion === hashVersion(saved)) return
  const { env, channel, replace } = values
  const line = replace
    ? `/hc watch-edit ${replace}`
    : formatWatchLine({ env, channel }, { verb: 'watch-edit' })
  refuseIfOutdated<SavedWatch>(undefined, saved, { toSettings: describeSaved, line })
}

const describeSaved = ({ settings, digest }: SavedWatch): ShownSetting[] => [
  ...(settings
    ? [
        [
          `This watch: ${[describeFilter(settings.filter), ...describeSettings(settings)].join(' · ')}.`,
          settings,
        ] as const,
      ]
    : []),
  [`Daily summary: ${digest ? `at ${digest.hour}:00, ${digest.timeZone}` : 'off'}.`, digest],
]
