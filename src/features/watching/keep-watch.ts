import { newId, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { hashVersion } from '../../bot/windows/window-states.ts'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { channelAsked, channelHere, mayKnow, permitTelling, placesHere } from './channel.ts'
import { withCalled } from './find-called.ts'
import { matchingChecks, withCheck } from './find-checks.ts'
import type { WatchStore } from './rows/watching.ts'
import { nextDigest } from './rules/due.ts'
import { filterWords } from './rules/filter-fields.ts'
import { type DigestTerms, placeName, type Watch, type WatchPlace, type WatchTerms } from './rules/watch.ts'
import {
  placeValues,
  termsOfWatch,
  valuesOf,
  type WatchLine,
  type WatchValues,
  watchLine,
} from './rules/watch-fields.ts'
import { refuseOlder, type SavedWatch, savedWatch } from './saved-watch.ts'
import {
  type EndedWatch,
  summaryEndedView,
  unwatchedView,
  type WatchOutcome,
  watchedView,
} from './views/outcomes.ts'

export interface WatchParts {
  watching: WatchStore
}

/** Makes or changes a watch, of this channel or of the one that is named. Throws UserError and Question, and changes nothing then. */
export async function watchHere(
  parts: WatchParts,
  asking: CommandContext,
  typed: WatchLine,
): Promise<Message> {
  const { values, isSure } = typed
  const { replace, seen } = values
  const before = replace
    ? await asking.keep('replaced', () => replacedWatch(parts, asking, replace))
    : undefined
  const context = before ? inEnvironment(asking, before.environment) : asking
  const channelId = before?.channelId ?? (await context.keep('channel', () => channelAsked(context, values)))
  const place = { ...placeOf(context), channelId }
  const saved = await context.keep('saved', () => savedWatch(parts.watching, place, replace))
  refuseOlder(seen, saved, { ...values, ...placeValues(place) })
  await context.api()
  const terms = await context.keep('terms', async () =>
    withCalled(context, await withCheck(context, typed), {
      channelId,
      ownerId: before?.ownerId ?? context.userId,
    }),
  )
  const isOutside = await permitTelling(parts.watching, context, channelId, {
    isSure,
    line: watchLine({ ...values, me: undefined, ...valuesOf(terms), ...placeValues(place) }),
  })
  // The step was done and found no watch: only this error says that nothing was changed.
  if (before && !(await changeStep(parts.watching, context, '/hc watch', before, terms)))
    throw new UserError(`${endedWords()} Nothing was changed.`)
  const told = before
    ? { watch: { ...before, ...terms }, what: 'changed' as const }
    : await addOnce(parts, context, channelId, terms)
  if (isOutside) await parts.watching.watches.agreeOutside(context.workspaceId, channelId, context.now)
  const digest = await changeDigest(parts, context, place, saved, values)
  return watchedView({
    ...told,
    digest,
    here: placesHere(asking),
    matching: await matchingChecks(context, terms.filter),
  })
}

const placeOf = ({ workspaceId, enterpriseId, environment }: CommandContext) => ({
  workspaceId,
  enterpriseId,
  environment,
})

/** The same request, about the environment of a watch that it names. */
export const inEnvironment = (context: CommandContext, environment: Environment): CommandContext =>
  environment === context.environment
    ? context
    : { ...context, environment, api: (wanted = environment, options) => context.api(wanted, options) }

async function addOnce(
  parts: WatchParts,
  context: CommandContext,
  channelId: string,
  terms: WatchTerms,
): Promise<Pick<WatchOutcome, 'watch' | 'what'>> {
  const { watching } = parts
  const before = await context.keep(
    'same',
    async () => (await sameWatch(watching, context, channelId, terms)) ?? null,
  )
  if (!before) {
    const id = await context.keep('watch', async () => newId())
    const place = { id, channelId, environment: context.environment }
    await addStep(watching, context, '/hc watch', { ...place, terms })
    return { watch: { ...place, ...terms }, what: 'new' }
  }
  if (before.isPaused) await resumeChannel(parts, context, channelId)
  return { watch: before, what: before.isPaused ? 'again' : 'already' }
}

async function replacedWatch({ watching }: WatchParts, context: CommandContext, id: string): Promise<Watch> {
  const watch = await watching.watches.find(context.workspaceId, id)
  if (watch && (await mayKnow(context))(watch)) return watch
  throw new UserError(endedWords())
}

const endedWords = (): string => `This watch has ended. To make a new one, use ${cmd('/hc watch')}.`

/** What is done to a watch, as one step that is done once however often it is begun. */
const watchStep = <T>(
  context: CommandContext,
  verb: string,
  { id, environment, filter }: Pick<Watch, 'id' | 'environment' | 'filter'>,
  differs: { before?: object; after?: object },
  work: () => Promise<T>,
): Promise<T> =>
  context.change(
    {
      verb,
      object: `watch ${id}`,
      objectName: filterWords(filter),
      environment,
      ...differs,
      isRepeatable: true,
    },
    work,
  )

export function addStep(
  { watches }: Pick<WatchStore, 'watches'>,
  context: CommandContext,
  verb: string,
  {
    id,
    channelId,
    environment,
    terms,
  }: Pick<Watch, 'id' | 'channelId' | 'environment'> & { terms: WatchTerms },
): Promise<void> {
  const watch = { ...placeOf(context), channelId, environment, ...terms, id }
  return watchStep(context, verb, watch, { after: { channelId, ...terms } }, async () => {
    await watches.add({ ...watch, ownerId: context.userId, madeAt: context.now })
  })
}

/** False when the watch is gone. */
export const changeStep = (
  { watches }: Pick<WatchStore, 'watches'>,
  context: CommandContext,
  verb: string,
  watch: Watch,
  terms: WatchTerms,
): Promise<boolean> =>
  watchStep(
    context,
    verb,
    { ...watch, ...terms },
    { before: termsOfWatch(watch), after: terms },
    async () => (await watches.change(context.workspaceId, watch.id, terms, context.now)) !== undefined,
  )

export const endStep = (
  { watches }: Pick<WatchStore, 'watches'>,
  context: CommandContext,
  verb: string,
  watch: EndedWatch,
): Promise<void> => {
  const before = { channelId: watch.channelId, ...termsOfWatch(watch) }
  return watchStep(context, verb, watch, { before }, async () => {
    await watches.remove(context.workspaceId, watch.id, context.now)
  })
}

/** Resumes the paused watches of a channel that can be told, and returns how many there were. */
export const resumeChannel = (
  { watching }: Pick<WatchParts, 'watching'>,
  context: CommandContext,
  channelId: string,
): Promise<number> =>
  context.change({ verb: '/hc watch-resume', object: `channel ${channelId}`, isRepeatable: true }, () =>
    watching.watches.resume(context.workspaceId, channelId, context.now),
  )

/** Ends watches of a channel, one step each. */
export async function endWatches(
  { watching }: WatchParts,
  context: CommandContext,
  watches: readonly EndedWatch[],
): Promise<Message> {
  for (const watch of watches) await endStep(watching, context, '/hc unwatch', watch)
  const { workspaceId } = context
  const places = new Map(watches.map((watch) => [placeName(watch), watch]))
  const digests = await Promise.all(
    [...places.values()].map(({ channelId, environment }) =>
      watching.digests.find(workspaceId, channelId, environment),
    ),
  )
  return unwatchedView(
    watches,
    digests.filter((digest) => digest !== undefined),
    placesHere(context),
  )
}

async function sameWatch(
  { watches }: WatchStore,
  { workspaceId, environment }: CommandContext,
  channelId: string,
  terms: WatchTerms,
): Promise<(Watch & { isPaused: boolean }) | undefined> {
  const here = await watches.list(workspaceId, { channelId })
  const same = here.find(
    (watch) => watch.environment === environment && watchLine(valuesOf(watch)) === watchLine(valuesOf(terms)),
  )
  // A single paused watch keeps the channel from being told anything.
  return same && { ...same, isPaused: here.some(({ paused }) => paused !== undefined) }
}

/** Sets or ends the daily summary of a channel where that is asked for; returns what it is then, where it was not that before. */
async function changeDigest(
  { watching }: Pick<WatchParts, 'watching'>,
  context: CommandContext,
  place: WatchPlace,
  saved: SavedWatch,
  { digest, zone }: WatchValues,
): Promise<DigestTerms | 'off' | undefined> {
  if (digest === undefined) return undefined
  const { timeZone: own = 'UTC' } = await context.actor()
  const terms = digest === 'off' ? undefined : { hour: digest, timeZone: zone ?? own }
  if (hashVersion(terms ?? null) === hashVersion(saved.digest ?? null)) return undefined
  await digestStep(watching, context, '/hc watch', place, terms)
  return terms ?? 'off'
}

/** Ends the daily summary of the channel where it is typed. */
export async function endSummary(watching: WatchStore, context: CommandContext): Promise<Message> {
  const { workspaceId, environment } = context
  const place = { ...placeOf(context), channelId: channelHere(context), environment }
  const was = await context.keep('digest', async () => {
    const found = await watching.digests.find(workspaceId, place.channelId, environment)
    return found ? { hour: found.hour, timeZone: found.timeZone } : null
  })
  if (was) await digestStep(watching, context, '/hc unwatch', place, undefined)
  return summaryEndedView(environment, was ?? undefined)
}

/** Sets or ends the daily summary of a channel as one step. */
export const digestStep = (
  { digests }: Pick<WatchStore, 'digests'>,
  context: CommandContext,
  verb: string,
  place: WatchPlace,
  terms: DigestTerms | undefined,
): Promise<void> => {
  const { userId, now } = context
  const { workspaceId, channelId, environment } = place
  const object = `digest ${channelId}`
  return context.change(
    { verb, object, environment, after: terms ?? 'off', isRepeatable: true },
    async () => {
      if (!terms) return void (await digests.remove(workspaceId, channelId, environment))
      await digests.set(place, terms, { userId, now, next: nextDigest(terms, now) })
    },
  )
}
