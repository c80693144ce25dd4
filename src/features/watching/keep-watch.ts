import { randomBytes } from 'node:crypto'
import type { Message } from '../../blocks/message.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { findCheck } from '../../domain/find-check.ts'
import { quoted } from '../../domain/quoting.ts'
import type { Watch, WatchTerms } from '../../domain/watching/watch.ts'
import { UserError } from '../../errors.ts'
import type { WatchStore } from '../../store/store.ts'
import { changeDigest } from './change-digest.ts'
import { channelHere, permitTelling } from './channel.ts'
import { digestWords, type WatchLine, watchLine } from './parse/watch-line.ts'
import { type EndedWatch, unwatchedView, watchedView } from './views/watch-outcomes.ts'

export interface WatchParts {
  watching: WatchStore
  /** Between two polls. */
  pollMs: number
}

/** Makes an id of 128 random bits, as the store makes its own. */
export const newId = async (): Promise<string> => randomBytes(16).toString('base64url')

/** Has the channel watch what was typed. Throws UserError and Question; nothing is changed then. */
export async function watchHere(parts: WatchParts, ask: CommandContext, typed: WatchLine): Promise<Message> {
  const channelId = channelHere(ask)
  await ask.api()
  const terms = await ask.keep('terms', () => termsOf(ask, typed))
  const line = `${watchLine(terms)}${digestWords(typed.digest)}`
  await permitTelling(ask, channelId, { isSure: typed.isSure, line })
  const told = typed.replaces
    ? await replaceWatch(parts, ask, typed.replaces, terms)
    : await addOnce(parts, ask, channelId, terms)
  return typed.digest ? changeDigest(parts, ask, channelId, typed.digest, told) : told
}

async function addOnce(
  parts: WatchParts,
  ask: CommandContext,
  channelId: string,
  terms: WatchTerms,
): Promise<Message> {
  const { watching } = parts
  const before = await ask.keep(
    'same',
    async () => (await sameWatch(watching, ask, channelId, terms)) ?? null,
  )
  return before ? watchedView(before, 'already') : addWatch(parts, ask, channelId, terms)
}

async function replaceWatch(
  parts: WatchParts,
  ask: CommandContext,
  id: string,
  terms: WatchTerms,
): Promise<Message> {
  const before = await ask.keep(
    'replaced',
    async () => (await parts.watching.watches.find(ask.workspaceId, id)) ?? null,
  )
  const changed = before && (await changeWatch(parts, ask, before, terms))
  if (changed) return changed
  throw new UserError('This watch has ended meanwhile. Nothing was changed.', [
    { label: 'Watch these', line: watchLine(terms) },
  ])
}

/** Adds a watch of these terms to a channel. */
export async function addWatch(
  { watching }: Pick<WatchParts, 'watching'>,
  ask: CommandContext,
  channelId: string,
  terms: WatchTerms,
): Promise<Message> {
  const id = await ask.keep('watch', newId)
  const { workspaceId, enterpriseId, environment, userId, now } = ask
  await ask.change(
    { verb: '/hc watch', object: `watch ${id}`, after: { channelId, ...terms }, isRepeatable: true },
    async () => {
      const place = { workspaceId, enterpriseId, channelId, environment }
      await watching.watches.add({ ...place, ...terms, id, ownerId: userId, madeAt: now })
    },
  )
  return watchedView({ id, channelId, environment, ...terms }, 'new')
}

/** Changes what a watch is about and how it tells. Undefined when it is gone. */
export async function changeWatch(
  { watching }: WatchParts,
  ask: CommandContext,
  watch: Watch,
  terms: WatchTerms,
): Promise<Message | undefined> {
  const { filter, afterBadPolls, notify, reminderHours } = watch
  const isThere = await ask.change(
    {
      verb: '/hc watch',
      object: `watch ${watch.id}`,
      before: { filter, afterBadPolls, notify, reminderHours },
      after: terms,
      isRepeatable: true,
    },
    async () => (await watching.watches.change(ask.workspaceId, watch.id, terms, ask.now)) !== undefined,
  )
  return isThere ? watchedView({ ...watch, ...terms }, 'changed') : undefined
}

/** Ends watches of a channel, one step each. */
export async function endWatches(
  { watching }: WatchParts,
  ask: CommandContext,
  ended: readonly EndedWatch[],
): Promise<Message> {
  for (const { id, channelId, filter, afterBadPolls, notify, reminderHours } of ended)
    await ask.change(
      {
        verb: '/hc unwatch',
        object: `watch ${id}`,
        before: { channelId, filter, afterBadPolls, notify, reminderHours },
        isRepeatable: true,
      },
      async () => void (await watching.watches.remove(ask.workspaceId, id, ask.now)),
    )
  return unwatchedView(ended)
}

async function termsOf(ask: CommandContext, { terms, named }: WatchLine): Promise<WatchTerms> {
  if (!named) return terms
  const check = await findCheck(ask, named, (uuid) =>
    watchLine(terms).replace('/hc watch', `/hc watch ${quoted(uuid)}`),
  )
  const rule = { field: 'uuid', pattern: check.uuid, label: check.name } as const
  return { ...terms, filter: { ...terms.filter, include: [rule, ...terms.filter.include] } }
}

async function sameWatch(
  { watches }: WatchStore,
  { workspaceId, environment }: CommandContext,
  channelId: string,
  terms: WatchTerms,
): Promise<Watch | undefined> {
  const here = await watches.list(workspaceId, { channelId, environment })
  return here.find((watch) => watchLine(watch) === watchLine(terms))
}
