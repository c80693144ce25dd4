import { hashVersion, refuseSavedSince, type SettingShown } from '../../bot/windows/window-states.ts'
import type { WatchStore } from './rows/watching.ts'
import { filterWords } from './rules/filter-fields.ts'
import type { WatchPlace } from './rules/watch.ts'
import { termsOfWatch, termWords, type WatchValues, watchLine } from './rules/watch-fields.ts'

export type SavedWatch = Awaited<ReturnType<typeof savedWatch>>

/** What a window of a watch shows of what is saved: the watch that it changes, and the daily summary of the channel. */
export async function savedWatch(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  { workspaceId, channelId, environment }: WatchPlace,
  replaces: string | undefined,
) {
  const watch = replaces === undefined ? undefined : await watches.find(workspaceId, replaces)
  const digest = await digests.find(workspaceId, channelId, environment)
  return {
    terms: watch && termsOfWatch(watch),
    digest: digest && { hour: digest.hour, timeZone: digest.timeZone },
  }
}

/** Throws UserError where what is saved is not what the window has shown, whose version it carries. */
export function refuseOlder(seen: string | undefined, saved: SavedWatch, values: WatchValues): void {
  if (seen === undefined || seen === hashVersion(saved)) return
  const { env, channel, replace } = values
  const line = replace ? `/hc watch-edit ${replace}` : watchLine({ env, channel }, 'watch-edit')
  refuseSavedSince<SavedWatch>(undefined, saved, { shown, line })
}

const shown = ({ terms, digest }: SavedWatch): SettingShown[] => [
  ...(terms
    ? [[`This watch: ${[filterWords(terms.filter), ...termWords(terms)].join(' · ')}.`, terms] as const]
    : []),
  [`Daily summary: ${digest ? `at ${digest.hour}:00, ${digest.timeZone}` : 'off'}.`, digest],
]
