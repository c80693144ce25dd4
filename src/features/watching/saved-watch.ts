import { hashVersion, refuseIfOutdated, type ShownSetting } from '../../bot/windows/window-states.ts'
import type { WatchStore } from './rows/watching.ts'
import { describeFilter } from './rules/filter-fields.ts'
import type { WatchPlace } from './rules/watch.ts'
import { describeTerms, formatWatchLine, pickTerms, type WatchValues } from './rules/watch-fields.ts'

export type SavedWatch = Awaited<ReturnType<typeof readSavedWatch>>

/** What the watch window shows: the watch it changes, and the channel's daily summary. */
export async function readSavedWatch(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  { workspaceId, channelId, environment }: WatchPlace,
  replaces: string | undefined,
) {
  const watch = replaces === undefined ? undefined : await watches.find(workspaceId, replaces)
  const digest = await digests.find(workspaceId, channelId, environment)
  return {
    terms: watch && pickTerms(watch),
    digest: digest && { hour: digest.hour, timeZone: digest.timeZone },
  }
}

/** Throws UserError if the saved version isn't the one that the window showed. */
export function refuseStaleWindow(seen: string | undefined, saved: SavedWatch, values: WatchValues): void {
  if (seen === undefined || seen === hashVersion(saved)) return
  const { env, channel, replace } = values
  const line = replace ? `/hc watch-edit ${replace}` : formatWatchLine({ env, channel }, 'watch-edit')
  refuseIfOutdated<SavedWatch>(undefined, saved, { shown, line })
}

const shown = ({ terms, digest }: SavedWatch): ShownSetting[] => [
  ...(terms
    ? [
        [
          `This watch: ${[describeFilter(terms.filter), ...describeTerms(terms)].join(' · ')}.`,
          terms,
        ] as const,
      ]
    : []),
  [`Daily summary: ${digest ? `at ${digest.hour}:00, ${digest.timeZone}` : 'off'}.`, digest],
]
