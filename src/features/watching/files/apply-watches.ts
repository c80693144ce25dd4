import { newId, Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { ButtonTooOld } from '../../../bot/request/buttons.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { mayKnow, permitTelling } from '../channel.ts'
import type { WatchCommandParts } from '../commands/mutes.ts'
import { withCalled } from '../escalation/find-called.ts'
import { addStep, changeStep, digestStep, endStep } from '../keep-watch.ts'
import type { WatchStore } from '../rows/watching.ts'
import { type Digest, placeName, type Watch, type WatchTerms } from '../rules/watch.ts'
import { appliedView, fileSentView, planView } from '../views/files.ts'
import { placeLink } from '../views/words.ts'
import { valuesOf, watchLine } from '../watch-fields.ts'
import { type FiledDigest, type FiledWatch, type FiledWatches, fileOf, isSameDigest } from './watch-file.ts'

interface KeptFile {
  filed: FiledWatches
  deletes: boolean
}

/**
 * Does what a file that was tried says, each thing once. What ends goes first, so that there is room for what is new. Channels
 * that may not be told are left out and named. Throws Question where others than this organization would read it.
 */
export async function applyWatches(
  parts: WatchCommandParts,
  context: CommandContext,
  stateId: string,
  isSure: boolean,
): Promise<Message> {
  const { watching } = parts
  const plan = await context.keep('plan', () => planOf(parts, context, stateId))
  const ids = await context.keep('ids', async () => plan.added.map(newId))
  const places = [...plan.added, ...plan.changed.map(({ to }) => to), ...plan.digests]
  const { closed, shared } = await context.keep('closed', () => channelsOf(watching, context, places))
  if (shared.length > 0 && !isSure)
    throw new Question(
      `${shared.map(placeLink).join(', ')}: shared with another organization, and everyone there would read what is down. Apply all the same?`,
      [{ label: 'Apply', line: `/hc watch-apply ${stateId} --yes` }],
    )
  const isOpen = ({ channelId }: { channelId: string }): boolean => !closed.includes(channelId)
  const verb = '/hc watch-apply'
  const called = (terms: WatchTerms) =>
    context.keep(`called ${JSON.stringify(terms)}`, () => withCalled(context, terms))
  for (const watch of plan.ended) await endStep(watching, context, verb, watch)
  const changed = plan.changed.filter(({ to }) => isOpen(to))
  for (const { watch, to } of changed)
    await changeStep(watching, context, verb, watch, await called(to.terms))
  const added = plan.added.map((one, index) => ({ ...one, id: ids[index] ?? '' })).filter(isOpen)
  for (const one of added) await addStep(watching, context, verb, { ...one, terms: await called(one.terms) })
  const digests = plan.digests.filter(isOpen)
  const { workspaceId, enterpriseId } = context
  for (const { channelId, environment, terms } of [...plan.endedDigests, ...digests]) {
    const place = { workspaceId, enterpriseId, channelId, environment }
    const { hour = 0, timeZone = 'UTC' } = terms === 'off' ? {} : terms
    await digestStep(watching, context, verb, place, terms === 'off' ? undefined : { hour, timeZone })
  }
  for (const channelId of shared) await watching.watches.agreeOutside(workspaceId, channelId, context.now)
  return appliedView({ ...plan, added, changed, digests, closed })
}

/** A page of what a file that was tried would change by now. */
export const showPlan = async (
  parts: WatchCommandParts,
  context: CommandContext,
  stateId: string,
  page: number | undefined,
): Promise<Message> => planView(await planOf(parts, context, stateId), stateId, page)

async function planOf(
  { watching, ephemeralState }: WatchCommandParts,
  context: CommandContext,
  stateId: string,
): Promise<WatchPlan> {
  // Sealed by the form under this workspace, hence of this type.
  const kept = (await ephemeralState.find(context.workspaceId, stateId, context.now)) as KeptFile | undefined
  if (!kept) throw new ButtonTooOld({ forgets: 'the file', next: 'Choose it again.' })
  return planWatches(watching, context, kept.filed, kept.deletes)
}

/** Channels that may not be told, and those that are shared with another organization. */
async function channelsOf(
  store: Pick<WatchStore, 'watches'>,
  context: CommandContext,
  places: readonly { channelId: string }[],
): Promise<{ closed: string[]; shared: string[] }> {
  const closed: string[] = []
  const shared: string[] = []
  for (const channelId of new Set(places.map((one) => one.channelId))) {
    try {
      await permitTelling(store, context, channelId, { isSure: false, line: '' })
    } catch (error) {
      if (error instanceof UserError) closed.push(channelId)
      else if (error instanceof Question) shared.push(channelId)
      else throw error
    }
  }
  return { closed, shared }
}

export type WatchPlan = Awaited<ReturnType<typeof planWatches>>

/**
 * What a file would change: compares it with the watches. An entry is the watch with its id, in the same channel and environment; without an id, the one
 * with the same line.
 */
export async function planWatches(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  context: Pick<CommandContext, 'workspaceId' | 'userId' | 'roles'>,
  filed: FiledWatches,
  deletes: boolean,
) {
  const { present, summed } = await known({ watches, digests }, context)
  const byId = new Map(present.map((watch) => [`${watch.id} ${placeName(watch)}`, watch]))
  const own = filed.watches.map((to) => ({ to, watch: byId.get(`${to.id} ${placeName(to)}`) }))
  const claimed = new Set(own.flatMap(({ watch }) => watch?.id ?? []))
  const byLine = new Map(
    present.filter(({ id }) => !claimed.has(id)).map((watch) => [lineKey(watch, watch), watch]),
  )
  const added: FiledWatch[] = []
  const changed: { watch: Watch; to: FiledWatch }[] = []
  for (const { to, watch } of own) {
    const key = lineKey(to, to.terms)
    if (watch && lineKey(watch, watch) !== key)
      changed.push({ watch, to: { ...to, terms: named(to.terms, watch) } })
    const same = watch ?? byLine.get(key)
    if (!same) added.push(to)
    else claimed.add(same.id)
  }
  const wanted = filed.digests ?? []
  const there = new Map(summed.map((digest) => [placeName(digest), digest]))
  const isNews = ({ terms, ...place }: FiledDigest): boolean => {
    const digest = there.get(placeName(place))
    return digest ? !isSameDigest(digest, terms) : terms !== 'off'
  }
  const isFiled = (digest: Digest): boolean => wanted.some((one) => placeName(one) === placeName(digest))
  const news = wanted.filter(isNews)
  const unfiled = deletes && filed.digests ? summed.filter((digest) => !isFiled(digest)) : []
  return {
    added,
    changed,
    digests: news.filter(({ terms }) => terms !== 'off'),
    /** What would end, only where everything that is not in the file is to end. */
    ended: deletes ? present.filter(({ id }) => !claimed.has(id)) : [],
    endedDigests: [
      ...news.filter(({ terms }) => terms === 'off'),
      ...unfiled.map(({ channelId, environment }) => ({ channelId, environment, terms: 'off' as const })),
    ],
    same: filed.watches.length - added.length - changed.length,
  }
}

/** All that the person may know of. */
async function known(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  context: Pick<CommandContext, 'workspaceId' | 'userId' | 'roles'>,
): Promise<{ present: Watch[]; summed: Digest[] }> {
  const [present, summed, mayKnowOf] = await Promise.all([
    watches.list(context.workspaceId),
    digests.list(context.workspaceId),
    mayKnow(context),
  ])
  return { present: present.filter(mayKnowOf), summed: summed.filter(mayKnowOf) }
}

const lineKey = (place: Parameters<typeof placeName>[0], terms: WatchTerms): string =>
  `${placeName(place)} ${watchLine(valuesOf(terms))}`

/** A file has the UUIDs of checks alone: those that the watch had before keep their names. */
function named(terms: WatchTerms, { filter }: Watch): WatchTerms {
  const include = terms.filter.include.map(
    (rule) => filter.include.find((one) => one.field === 'uuid' && one.pattern === rule.pattern) ?? rule,
  )
  return { ...terms, filter: { ...terms.filter, include } }
}

const NAME = 'watches.json'

/** Sends every watch and digest of the workspace as a file to the person's direct messages. */
export async function exportWatches(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  context: CommandContext,
): Promise<Message> {
  const { present: found, summed } = await known({ watches, digests }, context)
  if (found.length + summed.length === 0)
    throw new UserError('No channel watches anything yet: there is nothing to export.')
  const body = Buffer.from(fileOf(found, summed))
  const slack = await context.slack()
  const told = fileSentView(found.length, NAME)
  await context.change(
    { verb: '/hc watches', object: 'export', after: { watches: found.length, digests: summed.length } },
    async () => {
      const posted = await context.tell(context.userId, told)
      await slack.upload(
        { channelId: posted.channelId },
        { name: NAME, title: 'Watches', body, bytes: body.length },
      )
    },
  )
  return told
}
