import { Question, UserError } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { quoted } from '../../domain/quoting.ts'
import { channelHere, mayKnow, threadHere } from './channel.ts'
import { filterWords } from './filter-fields.ts'
import type { WatchStore } from './rows/watching.ts'
import type { Watch } from './rules/watch.ts'

const OFFERED = 10

/**
 * The watches that the words mean: the only one of the channel, all of them, one by its id (wherever it is), or those of the
 * channel with this name or pattern. Throws UserError when there are none, and Question when several could be meant.
 */
export async function findWatches(
  { watches }: Pick<WatchStore, 'watches'>,
  context: CommandContext,
  words: readonly string[],
): Promise<Watch[]> {
  const named = words.join(' ').trim()
  const byId = named && (await watches.find(context.workspaceId, named))
  if (byId && (await mayKnow(context))(byId)) return [byId]
  const here = await watches.list(context.workspaceId, {
    channelId: threadHere(context) ?? channelHere(context),
    environment: context.environment,
  })
  if (here.length === 0) throw new UserError('Nothing is watched in this channel.', [ALL])
  if (/^(?:all|everything)$/i.test(named)) return here
  const fitting = named ? here.filter((watch) => isNamed(watch, named)) : here
  if (fitting.length === 1) return fitting
  if (fitting.length === 0) throw new UserError(`No watch of this channel is about “${named}”.`, [ALL])
  throw new Question('Which watch is to end?', [
    ...fitting
      .slice(0, OFFERED)
      .map((watch) => ({ label: filterWords(watch.filter), line: `/hc unwatch ${quoted(watch.id)}` })),
    { label: `All ${here.length}`, line: '/hc unwatch all' },
  ])
}

const ALL = { label: 'All watches', line: '/hc watches --all' }

/** Whether one of the included rules is exactly this. */
function isNamed({ filter }: Watch, named: string): boolean {
  const wanted = named.toLowerCase()
  return filter.include.some(({ pattern, label }) =>
    [pattern, label].some((text) => text?.toLowerCase() === wanted),
  )
}
