import type { CommandContext } from '../../bot/routes/command-context.ts'
import { refuseSavedSince, type SettingShown, versionOf } from '../../bot/windows/saved-since.ts'
import { quoted } from '../../domain/quoting.ts'
import type { WatchStore } from './rows/watching.ts'
import { type DigestTerms, termsOfWatch, type WatchTerms } from './rules/watch.ts'
import { filterWords, termWords } from './views/words.ts'

/** What a window of a watch shows of what is saved: the watch that it changes, and the daily summary of the channel. */
export interface SavedWatch {
  readonly terms: WatchTerms | undefined
  readonly digest: DigestTerms | undefined
}

export async function savedWatch(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  context: Pick<CommandContext, 'workspaceId' | 'channelId' | 'environment'>,
  replaces: string | undefined,
): Promise<SavedWatch> {
  const { workspaceId } = context
  const watch = replaces === undefined ? undefined : await watches.find(workspaceId, replaces)
  const { channelId, environment } = watch ?? context
  const digest = channelId ? await digests.find(workspaceId, channelId, environment) : undefined
  return {
    terms: watch && termsOfWatch(watch),
    digest: digest && { hour: digest.hour, timeZone: digest.timeZone },
  }
}

/** Throws UserError where what is saved is not what the window has shown, whose version it carries. */
export function refuseOlder(seen: string | undefined, saved: SavedWatch, replaces: string | undefined): void {
  if (seen === undefined || seen === versionOf(saved)) return
  const line = `/hc watch-edit${replaces === undefined ? '' : ` ${quoted(replaces)}`}`
  refuseSavedSince<SavedWatch>(undefined, saved, { shown, line })
}

const shown = ({ terms, digest }: SavedWatch): SettingShown[] => [
  ...(terms
    ? [[`This watch: ${[filterWords(terms.filter), ...termWords(terms)].join(' · ')}.`, terms] as const]
    : []),
  [`Daily summary: ${digest ? `at ${digest.hour}:00, ${digest.timeZone}` : 'off'}.`, digest],
]
