import { newId, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { findCheck } from '../../domain/find-check.ts'
import { quoted } from '../../domain/quoting.ts'
import { channelHere, permitTelling } from './channel.ts'
import { digestWords, replaceWords, type TypedDigest, type WatchLine, watchLine } from './parse/watch-line.ts'
import type { WatchStore } from './rows/watching.ts'
import { nextDigest } from './rules/due.ts'
import { watchMatcher } from './rules/subjects.ts'
import { termsOfWatch, type Watch, type WatchFilter, type WatchRule, type WatchTerms } from './rules/watch.ts'
import { refuseOlder, savedWatch } from './saved-watch.ts'
import {
  type EndedWatch,
  unwatchedView,
  watchedView,
  withDigest,
  withNothingFitting,
} from './views/outcomes.ts'

export interface WatchParts {
  watching: WatchStore
  /** The time between two polls. */
  pollMs: number
}

/** Makes or changes a watch of this channel. Throws UserError and Question, and changes nothing then. */
export async function watchHere(
  parts: WatchParts,
  context: CommandContext,
  typed: WatchLine,
): Promise<Message> {
  const { replaces, seen, digest, isSure } = typed
  const before = replaces
    ? await context.keep('replaced', () => replacedWatch(parts, context, replaces))
    : undefined
  const saved = await context.keep('saved', () => savedWatch(parts.watching, context, replaces))
  refuseOlder(seen, saved, replaces)
  const channelId = before?.channelId ?? channelHere(context)
  await context.api()
  const terms = await context.keep('terms', () => termsOf(context, typed))
  const rest = `${digestWords(digest)}${replaceWords(typed)}`
  await permitTelling(context, channelId, { isSure, line: `${watchLine(terms)}${rest}` })
  const told = before
    ? await changeWatch(parts, context, before, terms)
    : await addOnce(parts, context, channelId, terms)
  const whole = digest ? await changeDigest(parts, context, channelId, digest, told) : told
  return (await fitsNothing(context, terms.filter)) ? withNothingFitting(whole) : whole
}

async function addOnce(
  parts: WatchParts,
  context: CommandContext,
  channelId: string,
  terms: WatchTerms,
): Promise<Message> {
  const { watching } = parts
  const before = await context.keep(
    'same',
    async () => (await sameWatch(watching, context, channelId, terms)) ?? null,
  )
  if (!before) return addWatch(parts, context, channelId, terms)
  if (!before.isPaused) return watchedView(before, 'already')
  await resumeChannel(parts, context, channelId)
  return watchedView(before, 'again')
}

async function replacedWatch({ watching }: WatchParts, context: CommandContext, id: string): Promise<Watch> {
  const watch = await watching.watches.find(context.workspaceId, id)
  if (watch) return watch
  throw new UserError(ENDED)
}

const ENDED = 'This watch has ended meanwhile: /hc watch makes a new one.'

/** Adds a watch with these terms to a channel. */
async function addWatch(
  { watching }: Pick<WatchParts, 'watching'>,
  context: CommandContext,
  channelId: string,
  terms: WatchTerms,
): Promise<Message> {
  const id = await context.keep('watch', async () => newId())
  const { environment } = context
  await addStep(watching, context, '/hc watch', { id, channelId, environment, terms })
  return watchedView({ id, channelId, environment, ...terms }, 'new')
}

/** Adds a watch as one step, which is done once however often it is begun. */
export function addStep(
  { watches }: Pick<WatchStore, 'watches'>,
  context: CommandContext,
  verb: string,
  added: Pick<Watch, 'id' | 'channelId' | 'environment'> & { terms: WatchTerms },
): Promise<void> {
  const { workspaceId, enterpriseId, userId, now } = context
  const { id, channelId, environment, terms } = added
  return context.change(
    { verb, object: `watch ${id}`, environment, after: { channelId, ...terms }, isRepeatable: true },
    async () => {
      const place = { workspaceId, enterpriseId, channelId, environment }
      await watches.add({ ...place, ...terms, id, ownerId: userId, madeAt: now })
    },
  )
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

/** Changes the terms of a watch. Throws UserError when the watch is gone. */
async function changeWatch(
  { watching }: WatchParts,
  context: CommandContext,
  watch: Watch,
  terms: WatchTerms,
): Promise<Message> {
  const isThere = await context.change(
    {
      verb: '/hc watch',
      object: `watch ${watch.id}`,
      before: termsOfWatch(watch),
      after: terms,
      isRepeatable: true,
    },
    async () =>
      (await watching.watches.change(context.workspaceId, watch.id, terms, context.now)) !== undefined,
  )
  // The step was done and found no watch: only this error says that nothing was changed.
  if (!isThere) throw new UserError(`${ENDED} Nothing was changed.`)
  return watchedView({ ...watch, ...terms }, 'changed')
}

/** Ends watches of a channel, one step each. */
export async function endWatches(
  { watching }: WatchParts,
  context: CommandContext,
  watches: readonly EndedWatch[],
): Promise<Message> {
  for (const watch of watches)
    await context.change(
      {
        verb: '/hc unwatch',
        object: `watch ${watch.id}`,
        before: { channelId: watch.channelId, ...termsOfWatch(watch) },
        isRepeatable: true,
      },
      async () => void (await watching.watches.remove(context.workspaceId, watch.id, context.now)),
    )
  return unwatchedView(watches)
}

async function termsOf(context: CommandContext, { terms, named }: WatchLine): Promise<WatchTerms> {
  const { include, exclude } = terms.filter
  if (!named) return { ...terms, filter: { include: await labelled(context, include), exclude } }
  const check = await findCheck(context, named, (uuid) =>
    watchLine(terms).replace('/hc watch', `/hc watch ${quoted(uuid)}`),
  )
  const rule = { field: 'uuid', pattern: check.uuid, label: check.name } as const
  return { ...terms, filter: { include: [rule, ...include], exclude } }
}

/** Adds to rules with a UUID the name of the check, as far as the service still has it. */
async function labelled(context: CommandContext, rules: readonly WatchRule[]): Promise<readonly WatchRule[]> {
  if (!rules.some(({ field }) => field === 'uuid')) return rules
  const { healthChecks } = await context.api()
  return Promise.all(
    rules.map(async (rule, index) => {
      if (rule.field !== 'uuid' || index >= MOST_LABELLED) return rule
      const check = await healthChecks.get(rule.pattern).catch(() => undefined)
      return check ? { ...rule, label: check.name } : rule
    }),
  )
}

const MOST_LABELLED = 10

async function sameWatch(
  { watches }: WatchStore,
  { workspaceId, environment }: CommandContext,
  channelId: string,
  terms: WatchTerms,
): Promise<(Watch & { isPaused: boolean }) | undefined> {
  const here = await watches.list(workspaceId, { channelId })
  const same = here.find(
    (watch) => watch.environment === environment && watchLine(watch) === watchLine(terms),
  )
  // A single paused watch keeps the channel from being told anything.
  return same && { ...same, isPaused: here.some(({ paused }) => paused !== undefined) }
}

/** Sets or ends the daily summary of a channel; returns the message with a line about it. */
async function changeDigest(
  { watching }: { watching: Pick<WatchStore, 'digests'> },
  context: CommandContext,
  channelId: string,
  typed: TypedDigest,
  told: Message,
): Promise<Message> {
  const { workspaceId, enterpriseId, environment, userId, now } = context
  const { timeZone: own = 'UTC' } = await context.actor()
  const terms = typed === 'off' ? undefined : { hour: typed.hour, timeZone: typed.timeZone ?? own }
  await context.change(
    { verb: '/hc watch', object: `digest ${channelId}`, after: terms ?? 'off', isRepeatable: true },
    async () => {
      if (!terms) return void (await watching.digests.remove(workspaceId, channelId, environment))
      const place = { workspaceId, enterpriseId, channelId, environment }
      await watching.digests.set(place, terms, { userId, now, next: nextDigest(terms, now) })
    },
  )
  return withDigest(told, terms)
}

/** The watch is made already, so its answer waits only this long. */
const MOST_MS = 5000
const MOST_LOOKED_THROUGH = 10_000

/**
 * Whether no health check of the service fits a filter. False also where that cannot be told: when there are too many of them,
 * or the service does not list them in time. A check that is named by its UUID was found before.
 */
async function fitsNothing(
  context: Pick<CommandContext, 'api'>,
  { include, exclude }: WatchFilter,
): Promise<boolean> {
  const rules = [...include, ...exclude].filter(({ field }) => field !== 'status')
  if (rules.length === 0 || include.some(({ field }) => field === 'uuid')) return false
  const matches = watchMatcher({ include, exclude })
  const signal = AbortSignal.timeout(MOST_MS)
  try {
    const { healthChecks } = await context.api()
    let looked = 0
    for await (const page of healthChecks.listAll({}, { signal, concurrency: 2 })) {
      looked += page.results.length
      if (page.unreadable > 0 || page.total > MOST_LOOKED_THROUGH || looked > MOST_LOOKED_THROUGH)
        return false
      if (page.results.some(matches)) return false
    }
    return true
  } catch {
    return false
  }
}
