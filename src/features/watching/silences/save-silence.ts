// This folder plans mutes and maintenance, and ends them.

import { mapInSlices, Notice, newId, Question, UserError, yieldWhenDue } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { writeFields } from '../../../bot/typed/fields.ts'
import { formatMoment, toZoned } from '../../../domain/dates/zoned.ts'
import { quotedName, writePattern } from '../../../domain/quoting.ts'
import { ALL_WATCHES, findChannel, requireMember } from '../channel.ts'
import { countMatching, LIST, listChecks } from '../find-checks.ts'
import type { WatchStore } from '../rows/watching.ts'
import { watchMatcher } from '../rules/matching.ts'
import {
  findSilenced,
  inForce,
  mayCover,
  type Silence,
  type SilenceSubject,
  type SilenceTimes,
  subjectMatcher,
} from '../rules/silence.ts'
import type { MatchingChecks, Watch } from '../rules/watch.ts'
import { nameObject, saidSilenced, silencedView } from '../views/silences.ts'
import { describeSubject, formatSubject } from '../views/words.ts'
import { resolveSubject, type TypedChecks, writeSubject } from './subject.ts'
import { listDurations, MAINTENANCE_FIELDS, type MaintenanceOptions } from './times.ts'

interface TypedSilence {
  readonly subject: TypedChecks
  readonly times: SilenceTimes
  readonly isMaintenance: boolean
  /** The channel, if another one was named. */
  readonly channel?: string | undefined
  readonly isEverywhere: boolean
  readonly reason: string
  /** The line that does the same in the current channel, for buttons. */
  readonly line: string
  /** Whether the person knows that it is about everything. */
  readonly isConfirmed: boolean
}

/** Mutes checks in a channel, or plans maintenance there or everywhere. Throws UserError, Notice, and Question. */
export async function saveSilence(
  store: Pick<WatchStore, 'watches' | 'history' | 'within'>,
  context: CommandContext,
  typed: TypedSilence,
): Promise<Message> {
  const { times, isMaintenance, isEverywhere, reason } = typed
  const { workspaceId, environment, userId, begunAt } = context
  const verb = isMaintenance ? '/hc maintenance' : '/hc mute'
  if (isEverywhere && !(await context.roles()).has('admin')) {
    await context.recordRefusal({ verb, object: 'every channel' })
    throw new UserError('Only admins can plan maintenance for every channel. Leave out --everywhere.')
  }
  const channelId = isEverywhere ? undefined : (findChannel(context, typed) ?? NO_CHANNEL)
  if (channelId && channelId !== context.channelId) await requireMember(context, channelId)
  const { subject, matching } = await context.once('silenced', async () => {
    const subject = await resolveSubject(context, typed.subject)
    const about = {
      ...typed,
      subject,
      channelId,
      watches: await store.watches.list(workspaceId, { environment }),
    }
    const matching = await requireWatched(context, about)
    if (subject.kind === 'all' && !typed.isConfirmed) throw askAboutEverything(typed)
    return { subject, matching }
  })
  const { name: ownerName = userId } = context.actor
  const silence: Silence = {
    ...{ id: newId(), workspaceId, environment, channelId, subject, isMaintenance, reason },
    // Its times count from the same moment, so that what repeats from now on has its first window now.
    ...{ ...times, ownerId: userId, ownerName, madeAt: begunAt },
  }
  const { from, to, every } = times
  const decision = {
    verb,
    object: nameObject([silence]),
    objectName: describeSubject(subject),
    after: { channelId: channelId ?? 'every channel', subject, from, to, every },
  }
  return addSilences(store, context, [silence], decision, matching)
}

type Silences = readonly [Silence, ...Silence[]]

/** Adds silences that differ only in their subjects. The answer says what of it is down. */
export async function addSilences(
  store: Pick<WatchStore, 'watches' | 'history' | 'within'>,
  context: CommandContext,
  silences: Silences,
  decision: Parameters<CommandContext['decide']>[0],
  matching?: MatchingChecks,
): Promise<Message> {
  const { channelId: here, now } = context
  // The answer of a resumed act is about what is stored.
  const saved = await context.decide<Silences>(decision, async (decisions) => {
    await store.within(decisions).silences.add(silences, saidSilenced(silences, now))
    return silences
  })
  const down = await listSilencedDown(store, saved, now)
  return silencedView(saved, { down, matching, here, now })
}

/** The names of what is down and watched where these silence it from now on: nobody is paged about it meanwhile. */
async function listSilencedDown(
  { watches, history }: Pick<WatchStore, 'watches' | 'history'>,
  silences: Silences,
  now: Date,
): Promise<string[]> {
  const [{ workspaceId, environment, channelId }] = silences
  const own = await watches.list(workspaceId, { environment, ...(channelId !== undefined && { channelId }) })
  const matchers = own.map(({ filter }) => watchMatcher(filter))
  const running = inForce(silences, channelId, now)
  const down = await history.listDown({ workspaceId, environment })
  const names = await mapInSlices(down, ({ check }) =>
    findSilenced(running, check) && matchers.some((matches) => matches(check)) ? [check.name] : [],
  )
  return names.flat().toSorted()
}

/** Plans maintenance as it was typed, in a line or a window. Throws like `saveSilence`. */
export const planMaintenance = (
  stores: Parameters<typeof saveSilence>[0],
  context: CommandContext,
  {
    options,
    ...typed
  }: Pick<TypedSilence, 'subject' | 'times' | 'channel' | 'isConfirmed'> & { options: MaintenanceOptions },
): Promise<Message> =>
  saveSilence(stores, context, {
    ...typed,
    ...{ isMaintenance: true, isEverywhere: options.isEverywhere === true, reason: options.because ?? '' },
    line: `/hc maintenance ${writeSubject(typed.subject)} ${writeFields(MAINTENANCE_FIELDS, options).join(' ')}`,
  })

/**
 * Finds what a silence would be about. Throws UserError if no health check matches, and Notice if the channel watches nothing of it: it
 * would do nothing. `matching` is undefined unless it's a pattern, and all health checks can be listed.
 */
async function requireWatched(
  context: CommandContext,
  { watches, subject, channelId, isMaintenance, line }: WatchedSilence,
): Promise<MatchingChecks | undefined> {
  const done = isMaintenance ? 'planned' : 'muted'
  const listed = subject.kind === 'name' ? await listChecks(context) : undefined
  const matching = listed?.filter(subjectMatcher(subject))
  if (matching?.length === 0)
    throw new UserError(`No health check matches this, so nothing was ${done}.`, [LIST])
  const channels = await findWatchedIn(watches, ({ filter }) =>
    matching ? matching.some(watchMatcher(filter)) : mayCover(subject, filter),
  )
  const isWatched = channelId === undefined ? channels.length > 0 : channels.includes(channelId)
  if (isWatched) return matching && countMatching(matching)
  const what = subject.kind === 'all' ? 'anything' : describeSubject(subject)
  const thisOrThat = channelId === context.channelId ? 'This' : 'That'
  const why =
    channels.length === 0
      ? `No channel watches ${what}`
      : channelId === NO_CHANNEL
        ? 'Signalman posts outages only in channels'
        : `${thisOrThat} channel doesn’t watch ${what}`
  throw new Notice(`${why}, so nothing was ${done}.`, [
    ...channels.slice(0, MAX_CHANNELS).map((id) => ({
      label: `${isMaintenance ? 'Plan' : 'Mute'} it in #${id}`,
      line: `${line} --channel ${id}`,
    })),
    ALL_WATCHES,
  ])
}

interface WatchedSilence extends Pick<TypedSilence, 'isMaintenance' | 'line'> {
  readonly subject: SilenceSubject
  readonly channelId: string | undefined
  readonly watches: readonly Watch[]
}

async function findWatchedIn(
  watches: readonly Watch[],
  isAbout: (watch: Watch) => boolean,
): Promise<string[]> {
  const channels = new Set<string>()
  for (const watch of watches) {
    await yieldWhenDue()
    if (!channels.has(watch.channelId) && isAbout(watch)) channels.add(watch.channelId)
  }
  return [...channels]
}

const MAX_CHANNELS = 3
/** In a direct message and in App Home, nothing is watched. */
const NO_CHANNEL = ''

function askAboutEverything({ isMaintenance, isEverywhere, channel, times, line }: TypedSilence): Question {
  const where = isEverywhere ? 'every channel' : channel === undefined ? 'this channel' : `#${channel}`
  const [from, to] = [times.from, times.to].map((at) => formatMoment(toZoned(at, times.timeZone)))
  const when = `${isMaintenance ? `from ${from} ` : ''}until ${to}${times.every ? `, every ${times.every}` : ''}`
  return new Question(
    `${isMaintenance ? 'Plan maintenance of' : 'Mute'} everything in ${where} ${when}? No outage is posted and nobody is paged then.`,
    [
      {
        label: isMaintenance ? 'Plan it' : 'Mute everything',
        line: `${line}${channel === undefined ? '' : ` --channel ${channel}`} --yes`,
      },
    ],
  )
}

export async function createDurationQuestion(
  { watches }: Pick<WatchStore, 'watches'>,
  context: CommandContext,
  typed: TypedChecks,
  channel: string | undefined,
): Promise<Question> {
  const subject = await resolveSubject(context, typed)
  const written = writePattern(formatSubject(subject))
  await requireWatched(context, {
    ...{ subject, channelId: findChannel(context, { channel }) ?? NO_CHANNEL, isMaintenance: false },
    watches: await watches.list(context.workspaceId, { environment: context.environment }),
    line: `/hc mute ${written}`,
  })
  const what = subject.kind === 'all' ? 'everything in this channel' : `“${describeSubject(subject)}”`
  // Who chooses how long everything is muted has been asked.
  const where = channel === undefined ? '' : ` --channel ${channel}`
  const flags = `${subject.kind === 'all' ? ' --yes' : ''}${where}`
  const told = subject.kind === 'check' ? quotedName(subject.name) : written
  return new Question(
    `For how long should ${what} be muted? Or type \`${await context.tell(`/hc mute ${told} 2h${where}`)}\`.`,
    listDurations(written, flags),
  )
}
