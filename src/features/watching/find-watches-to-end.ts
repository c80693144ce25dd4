import { Notice, Question, UserError } from '@signalman/runtime'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import type { Requester, Rights, ServiceAccess } from '../../bot/routes/command-context.ts'
import { readFields } from '../../bot/typed/fields.ts'
import { hashVersion } from '../../bot/windows/window-states.ts'
import { ENVIRONMENT_NAMES } from '../../domain/environment.ts'
import { globMatcher } from '../../domain/name-pattern.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { quoted } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { joinNames } from '../../domain/wording.ts'
import { ALL_WATCHES, requireChannel } from './channel.ts'
import { nameChecks } from './find-checks.ts'
import type { WatchStore } from './rows/watching.ts'
import { describeFilter, nameWatches } from './rules/filter-fields.ts'
import type { Watch } from './rules/watch.ts'
import { CHANNEL_FIELD } from './rules/watch-fields.ts'

const MAX_CHOICES = 10

/** Whether a line says which watch ends. */
export const isWatchNamed = ({ values, flags }: Pick<Arguments, 'values' | 'flags'>): boolean =>
  flags.id !== undefined || Object.keys(values).length > 0

/**
 * Finds the watches that `/hc unwatch` ends. The typed words can be a watch's ID (in any channel), `all`, or a name or pattern from
 * its filter. Without words, finds the only watch of the channel. Throws UserError if there are none, and Question if several match, or
 * if a button that listed all of them is pressed after they changed.
 */
export async function findWatchesToEnd(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Requester & Rights & ServiceAccess,
  { values: { all, pattern, check, uuid }, flags }: Arguments,
): Promise<Watch[]> {
  const { id, seen } = flags
  const typedName = all ?? pattern ?? check ?? uuid ?? ''
  const typedId = typeof id === 'string' ? id : typedName
  const byId = typedId && (await watches.find(context.workspaceId, typedId))
  if (byId) return nameChecks(context, [byId], byId.environment)
  if (id !== undefined) throw createWatchEnded()
  const channelId = requireChannel(context, readFields(CHANNEL_FIELD, flags))
  const { workspaceId, environment } = context
  const channelWatches = await nameChecks(
    context,
    await watches.list(workspaceId, { channelId, environment }),
  )
  const placeAndEnvironment = `${channelId === context.channelId ? 'this' : 'that'} channel in ${ENVIRONMENT_NAMES[context.environment]}`
  if (channelWatches.length === 0)
    throw new UserError(`Nothing is watched in ${placeAndEnvironment}.`, [ALL_WATCHES])
  if (seen !== undefined && seen !== hashWatches(channelWatches))
    throw askWhichWatch(channelWatches, {
      channelWatches,
      why: `Other watches are in ${placeAndEnvironment} now than when you were asked, so none was ended. `,
    })
  if (typedName === 'all') return channelWatches
  const matching = typedName ? channelWatches.filter((watch) => hasRule(watch, typedName)) : channelWatches
  if (matching.length === 1) return matching
  if (matching.length > 1) throw askWhichWatch(matching, { channelWatches })
  const covering = channelWatches.filter(({ filter }) =>
    filter.include.some(({ pattern }) => globMatcher(pattern)(typedName)),
  )
  const why = `No watch in ${placeAndEnvironment} is about “${typedName}” alone. `
  if (covering.length > 0) throw askWhichWatch(covering, { channelWatches, why })
  throw new NothingFound(`${why}It may be watched with others.`, [ALL_WATCHES])
}

/** Throws a Notice if the environment has no such watch anymore. */
export async function requireWatch(
  { watches }: Pick<WatchStore, 'watches'>,
  { workspaceId, environment }: Requester,
  id: string,
): Promise<Watch> {
  const watch = await watches.find(workspaceId, id)
  if (watch?.environment === environment) return watch
  throw createWatchEnded()
}

/** Somebody else, or an earlier press, has ended the watch. */
export const createWatchEnded = (): Notice =>
  new Notice('This watch has already ended. Nothing was changed.', [ALL_WATCHES])

/** Offers each of these watches, and all of the channel. That button ends nothing if the channel has other watches by then. */
function askWhichWatch(
  matching: readonly Watch[],
  { channelWatches, why = '' }: { channelWatches: readonly Watch[]; why?: string },
): Question {
  const allButton = {
    label: `End all ${channelWatches.length}`,
    line: `/hc unwatch ${writeAll(channelWatches)}`,
  }
  return new Question(`${why}Which watch do you want to end?`, [
    ...matching
      .slice(0, MAX_CHOICES)
      .map(({ id, filter }) => ({ label: describeFilter(filter), line: `/hc unwatch --id ${quoted(id)}` })),
    ...(channelWatches.length > 1 ? [allButton] : []),
  ])
}

/** Asks before watches end that weren't named, or the last ones of a channel that page anyone. Throws Question. */
export async function askBeforeEnd(
  { watches }: Pick<WatchStore, 'watches'>,
  { workspaceId }: Requester,
  ending: readonly Watch[],
  areNamed: boolean,
): Promise<void> {
  const [first] = ending
  if (!first) return
  const paged = ending.flatMap(({ page = [] }) => page.flatMap(({ responders }) => responders))
  const all = await watches.list(workspaceId, first)
  const isQuiet =
    paged.length > 0 && !all.some(({ id, page }) => page && !ending.some((watch) => watch.id === id))
  if (areNamed && !isQuiet) return
  const names = joinNames([...new Set(paged.map(({ name }) => name))])
  const effect = isQuiet
    ? ` ${ending.length === 1 ? 'It pages' : 'They page'} ${names}, and no other watch of the channel pages anyone.`
    : ''
  const what = `${ending.length === 1 ? 'the watch' : 'the watches'} of ${nameWatches(ending)}`
  const which = ending.length === 1 ? `--id ${quoted(first.id)}` : writeAll(all)
  throw new Question(`End ${what}?${effect}`, [
    {
      label: ending.length === 1 ? 'End it' : `End all ${ending.length}`,
      line: `/hc unwatch ${which} --yes`,
    },
  ])
}

/** All watches of a channel, if they are still these. */
const writeAll = (watches: readonly Watch[]): string =>
  `all --channel ${watches[0]?.channelId} --seen ${hashWatches(watches)}`

const hashWatches = (watches: readonly Watch[]): string => hashVersion(watches.map(({ id }) => id).toSorted())

/** Whether the filter includes only a rule with exactly this pattern or check name. */
function hasRule({ filter }: Watch, typedName: string): boolean {
  const wanted = foldName(typedName)
  const [only, another] = filter.include
  return (
    !another && [only?.pattern, only?.label].some((text) => text !== undefined && foldName(text) === wanted)
  )
}
