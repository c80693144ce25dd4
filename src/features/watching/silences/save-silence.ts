// This folder plans mutes and maintenance, and ends them.

import { Notice, newId, Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { isFirstRun } from '../../../bot/routes/first-run.ts'
import { isTypedCheck } from '../../../domain/find-check.ts'
import { writePattern } from '../../../domain/quoting.ts'
import { formatList } from '../../../domain/wording.ts'
import { createEndFilter, requireChannel } from '../channel.ts'
import { requireMatch } from '../find-checks.ts'
import type { WatchStore } from '../rows/watching.ts'
import {
  covers,
  inForce,
  mayCover,
  replaces,
  type Silence,
  type SilenceSubject,
  toSubjectKey,
} from '../rules/silence.ts'
import {
  endedView,
  listEndings,
  MAX_ENDINGS,
  nameSilence,
  saidSilence,
  silencedView,
} from '../views/silences.ts'
import { describeSubject, formatSubject } from '../views/words.ts'
import { resolveSubject, type TypedSubject } from './subject.ts'
import { DURATION_HELP, listDurations, type SilenceTimes } from './times.ts'

type Stores = Pick<WatchStore, 'silences' | 'watches'>

/** A silence as typed. */
interface TypedSilence {
  readonly subject: TypedSubject
  readonly times: SilenceTimes
  readonly isMaintenance: boolean
  readonly isEverywhere: boolean
  readonly reason: string
  /** The line to offer if no check matches the pattern. `isSure`: the person knows that. */
  readonly offer: { readonly label: string; readonly line: string; readonly isSure: boolean }
}

/** Mutes checks in the current channel, or plans maintenance there or everywhere. Throws UserError. */
export async function saveSilence(
  { silences, watches }: Stores,
  context: CommandContext,
  { subject: typed, times, isMaintenance, isEverywhere, reason, offer }: TypedSilence,
): Promise<Message> {
  const { workspaceId, enterpriseId, environment, userId, now } = context
  const verb = isMaintenance ? '/hc maintenance' : '/hc mute'
  if (isEverywhere && !(await context.roles()).has('admin')) {
    await context.recordRefusal({ verb, object: 'every channel' })
    throw new UserError('Only admins can plan maintenance for every channel. Leave out --everywhere.')
  }
  const subject = await context.once('subject', () => resolveSubject(context, typed))
  if (subject.kind === 'name' && !offer.isSure) {
    const include = [{ field: 'name', pattern: subject.pattern } as const]
    await requireMatch(context, { include, exclude: [] }, offer)
  }
  const { name: ownerName = userId } = context.actor
  // Remembered as JSON, so that a retry doesn't extend it.
  const { from, to, madeAt } = await context.once('times', async () => ({
    from: times.from.toISOString(),
    to: times.to.toISOString(),
    madeAt: now.toISOString(),
  }))
  const silence: Silence = {
    id: await context.once('silence', async () => newId()),
    ...{ workspaceId, enterpriseId, environment, subject, isMaintenance, reason, ownerName },
    ...times,
    from: new Date(from),
    to: new Date(to),
    channelId: isEverywhere ? undefined : requireChannel(context),
    ownerId: userId,
    madeAt: new Date(madeAt),
  }
  const before = await silences.list(workspaceId, now, { channelId: silence.channelId, environment })
  await context.change(
    {
      verb,
      object: nameObject(silence),
      objectName: describeSubject(subject),
      after: { channelId: silence.channelId ?? 'every channel', subject, from, to, every: times.every },
      isRepeatable: true,
    },
    () => silences.add(silence, saidSilence(silence, now)),
  )
  const after = await silences.list(workspaceId, now, { channelId: silence.channelId, environment })
  const others = listInForce(after, silence.channelId, now).filter(
    (other) => other.id !== silence.id && isAbout(other, subject),
  )
  const replaced = before.find((other) => other.id !== silence.id && replaces(silence, other))
  const watched = (await watches.list(workspaceId, { environment })).filter(({ filter }) =>
    mayCover(subject, filter),
  )
  const watchedIn = [...new Set(watched.map((watch) => watch.channelId))]
  return silencedView(silence, { others, replaced, watchedIn, now })
}

const listInForce = (...about: Parameters<typeof inForce>): Silence[] =>
  inForce(...about).map(({ silence }) => silence)

/** Whether a silence covers the checks of a subject, or some of them. */
const isAbout = (silence: Silence, subject: SilenceSubject): boolean =>
  covers(silence.subject, subject) || covers(subject, silence.subject)

/** Creates the question that asks how long to mute. */
export async function createDurationQuestion(
  context: CommandContext,
  typed: TypedSubject,
): Promise<Question> {
  const subject = await resolveSubject(context, typed)
  const what = subject.kind === 'all' ? 'everything in this channel' : `“${describeSubject(subject)}”`
  return new Question(
    `For how long should ${what} be muted? ${DURATION_HELP}`,
    // Who chooses how long everything is muted has been asked.
    listDurations(writePattern(formatSubject(subject)), subject.kind === 'all' ? ' --yes' : ''),
  )
}

const WHAT_IS_SILENCED = { label: 'What is silenced', line: '/hc watches' }

/** Nothing is muted under this name. Names what covers it, or is a part of it: maintenance is ended by its button alone. */
function explainNotSilenced(here: readonly Silence[], subject: SilenceSubject): Notice {
  const covering = here.filter((silence) => covers(silence.subject, subject))
  const parts = here.filter((silence) => covers(subject, silence.subject))
  const found = covering.length > 0 ? covering : parts
  if (found.length === 0)
    return new UserError('Nothing is silenced here under that name.', [WHAT_IS_SILENCED])
  const name = subject.kind === 'all' ? 'everything' : `“${describeSubject(subject)}”`
  const what =
    covering.length > 0
      ? `${name} isn’t muted under its own name, but there is`
      : `Nothing silences ${name} as a whole, but there is`
  return new Notice(`${what}: ${formatList(found, MAX_ENDINGS, nameSilence)}. Nothing was ended.`, [
    ...listEndings(found),
    WHAT_IS_SILENCED,
  ])
}

/** The only silenced check with the typed name or UUID. The service may have it no longer, or not respond. */
function findSilenced(here: readonly Silence[], typed: TypedSubject | undefined): SilenceSubject | undefined {
  if (typed?.kind !== 'check') return undefined
  const named = here.flatMap(({ subject }) =>
    subject.kind === 'check' && isTypedCheck(subject, typed.values) ? [subject] : [],
  )
  return new Set(named.map(toSubjectKey)).size === 1 ? named[0] : undefined
}

/** Names a silence in the audit log. */
const nameObject = ({ isMaintenance, id }: Silence): string =>
  `${isMaintenance ? 'maintenance' : 'mute'} ${id}`

/** Ends a mute or maintenance: by its ID, or the one of this subject that applies in the channel. Throws UserError and Notice. */
export async function endSilence(
  { silences }: Stores,
  context: CommandContext,
  typed: TypedSubject | undefined,
): Promise<Message> {
  const { workspaceId, environment, channelId, now } = context
  const ended = await context.once('ended', async () => {
    const id = typed?.kind === 'check' ? (typed.values.check ?? '') : ''
    const byId = id === '' ? undefined : await silences.find(workspaceId, id)
    if (byId) return [byId.id]
    const here = await silences.list(workspaceId, now, { channelId: channelId ?? '', environment })
    const subject = findSilenced(here, typed) ?? (await resolveSubject(context, typed ?? { kind: 'all' }))
    const mutes = here.filter(
      (silence) => !silence.isMaintenance && toSubjectKey(silence.subject) === toSubjectKey(subject),
    )
    if (mutes.length === 0) throw explainNotSilenced(here, subject)
    return mutes.map((silence) => silence.id)
  })
  const found = (await Promise.all(ended.map((id) => silences.find(workspaceId, id)))).flatMap(
    (silence) => silence ?? [],
  )
  const own = found.filter(await createEndFilter(context))
  if (own.length === 0) {
    await context.recordRefusal({ verb: '/hc unmute', object: found.map(nameObject).join(', ') })
    const who = found.some((one) => one.channelId) ? 'whoever silenced this, operators, and admins' : 'admins'
    throw new UserError(`Only ${who} can end it.`, [WHAT_IS_SILENCED])
  }
  const { name = context.userId } = context.actor
  // After a crash, the act itself may have ended them.
  const isFirst = await isFirstRun(context)
  const endedHere: Silence[] = []
  for (const silence of own) {
    const step = {
      verb: '/hc unmute',
      key: silence.id,
      object: nameObject(silence),
      objectName: describeSubject(silence.subject),
    }
    const after = (done?: boolean) => (done === false ? 'had already ended' : undefined)
    const hasEnded = await context.change<boolean>({ ...step, after, isRepeatable: true }, () =>
      silences.end(workspaceId, silence.id, now, saidSilence(silence, now, name)),
    )
    if (hasEnded || !isFirst) endedHere.push(silence)
  }
  if (endedHere.length === 0)
    throw new Notice('That silence has already ended. Nothing was changed.', [WHAT_IS_SILENCED])
  const here = await silences.list(workspaceId, now, { channelId: channelId ?? '', environment })
  const remaining = listInForce(here, channelId ?? '', now).filter((other) =>
    endedHere.some(({ subject }) => isAbout(other, subject)),
  )
  return endedView(endedHere, remaining, now)
}
