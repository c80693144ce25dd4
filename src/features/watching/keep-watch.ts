import { randomBytes } from 'node:crypto'
import type { Message } from '../../blocks/message.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { findCheck } from '../../domain/find-check.ts'
import { quoted } from '../../domain/quoting.ts'
import type { Watch, WatchRule, WatchTerms } from '../../domain/watching/watch.ts'
import { UserError } from '../../errors.ts'
import type { WatchStore } from '../../store/store.ts'
import { changeDigest } from './change-digest.ts'
import { channelHere, permitTelling } from './channel.ts'
import { fitsNothing } from './fits-nothing.ts'
import { digestWords, type WatchLine, watchLine } from './parse/watch-line.ts'
import { type EndedWatch, unwatchedView, watchedView, withNothingFitting } from './views/watch-outcomes.ts'

export interface WatchParts {
  watching: WatchStore
  /** The time between two polls. */
  pollMs: number
}

/** Makes an id of 128 random bits, in the form of the store's own ids. */
export const newId = async (): Promise<string> => randomBytes(16).toString('base64url')

/** Makes or changes a watch of this channel. Throws UserError and Question, and changes nothing then. */
export async function watchHere(
  parts: WatchParts,
  context: CommandContext,
  typed: WatchLine,
): Promise<Message> {
  const { replaces, digest, isSure } = typed
  const before = replaces
    ? await context.keep('replaced', () => replacedWatch(parts, context, replaces))
    : undefined
  const channelId = before?.channelId ?? channelHere(context)
  await context.api()
  const terms = await context.keep('terms', () => termsOf(context, typed))
  const rest = `${digestWords(digest)}${replaces ? ` --replace ${quoted(replaces)}` : ''}`
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
  const id = await context.keep('watch', newId)
  const { workspaceId, enterpriseId, environment, userId, now } = context
  await context.change(
    { verb: '/hc watch', object: `watch ${id}`, after: { channelId, ...terms }, isRepeatable: true },
    async () => {
      const place = { workspaceId, enterpriseId, channelId, environment }
      await watching.watches.add({ ...place, ...terms, id, ownerId: userId, madeAt: now })
    },
  )
  return watchedView({ id, channelId, environment, ...terms }, 'new')
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
  const { filter, afterBadPolls, notify, reminderHours } = watch
  const isThere = await context.change(
    {
      verb: '/hc watch',
      object: `watch ${watch.id}`,
      before: { filter, afterBadPolls, notify, reminderHours },
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
  for (const { id, channelId, filter, afterBadPolls, notify, reminderHours } of watches)
    await context.change(
      {
        verb: '/hc unwatch',
        object: `watch ${id}`,
        before: { channelId, filter, afterBadPolls, notify, reminderHours },
        isRepeatable: true,
      },
      async () => void (await watching.watches.remove(context.workspaceId, id, context.now)),
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
