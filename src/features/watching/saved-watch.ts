import { hashVersion, refuseIfOutdated, type ShownSetting } from '../../bot/windows/window-states.ts'
import type { WatchStore } from './rows/watching.ts'
import { describeFilter } from './rules/filter-fields.ts'
import type { WatchChannel, WatchSettings } from './rules/watch.ts'
import { describeSettings, formatWatchLine, pickSettings, type WatchValues } from './rules/watch-fields.ts'

/** The saved settings that the watch window edits. */
export interface SavedWatch {
  readonly settings?: WatchSettings | undefined
}

export async function readSavedWatch(
  { watches }: Pick<WatchStore, 'watches'>,
  { workspaceId }: Pick<WatchChannel, 'workspaceId'>,
  replacedId: string | undefined,
): Promise<SavedWatch> {
  const watch = replacedId === undefined ? undefined : await watches.find(workspaceId, replacedId)
  return { settings: watch && pickSettings(watch) }
}

/** Throws UserError if the settings were changed after the window was opened. */
export function refuseStaleWindow(
  shownVersion: string | undefined,
  saved: SavedWatch,
  values: WatchValues,
): void {
  if (shownVersion === undefined || shownVersion === hashVersion(saved)) return
  const { env, channel, replace } = values
  const line = replace ? `/hc watch-edit ${replace}` : formatWatchLine({ env, channel }, 'watch-edit')
  refuseIfOutdated<SavedWatch>(undefined, saved, { toSettings: describeSaved, line })
}

const describeSaved = ({ settings }: SavedWatch): ShownSetting[] =>
  settings
    ? [
        [
          `This watch: ${[describeFilter(settings.filter), ...describeSettings(settings)].join(' · ')}.`,
          settings,
        ],
      ]
    : []
