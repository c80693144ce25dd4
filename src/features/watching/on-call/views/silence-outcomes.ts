import { formatDuration } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  commandMenu,
  type Line,
  lines,
  type Message,
  oneLine,
} from '@signalman/slack'
import { describePage, neighborPages, pageButtons, slicePage } from '../../../../bot/views/list-page.ts'
import { cmd } from '../../../../domain/command-names.ts'
import { ENVIRONMENT_NAMES, type Environment } from '../../../../domain/environment.ts'
import { quoted } from '../../../../domain/quoting.ts'
import { formatCount } from '../../../../domain/wording.ts'
import { compareSubjects } from '../../rules/combined-silence.ts'
import type { Silence, SilenceSettings } from '../../rules/silence.ts'
import { createWindow, getStateAt, withStateAt } from '../../rules/silence-windows.ts'
import { formatMuteCommand } from '../../views/cards.ts'
import { formatNoMatchWarning } from '../../views/outcomes.ts'
import {
  formatEndCommand,
  formatSilence,
  MAINTENANCE_EFFECT,
  maintenanceControls,
  silenceChoices,
} from '../../views/silences.ts'
import {
  type CurrentChannels,
  describeChannel,
  describeCoverage,
  describeEnd,
  describeSubject,
  joinParts,
} from '../../views/words.ts'

type CoveredSubject = Pick<Silence, 'subject' | 'environment' | 'channelId'>

const WHEN_IT_ENDS =
  'When it ends, Signalman posts what is still down with nobody on it. Cards that are already here stay up to date.'
/** Warns that the mute may be in the wrong channel. */
const nothingWatchedText = (environment: Environment): string =>
  `Nothing in ${ENVIRONMENT_NAMES[environment]} is watched here, so no alerts about it are posted here anyway. To see which channels watch what, use ${cmd('/hc watches')} --all.`
const MAX_LISTED = 5

/** The answer to `/hc mute`. It says when the checks are no longer silenced, whatever silences them. */
export function mutedView(
  mute: CoveredSubject & Pick<Silence, 'planId' | 'to'>,
  {
    here,
    isWatched,
    replaced,
    last,
    partly = [],
    matchesNothing = false,
  }: {
    here: CurrentChannels
    isWatched: boolean
    /** The earlier mute of the same subject. Without a date, it had no end. */
    replaced?: { readonly until?: string | undefined } | undefined
    /** Another silence that covers the same checks and ends later. */
    last?: Silence | undefined
    /** Silences that cover only some of the checks, and end later. */
    partly?: readonly Silence[]
    matchesNothing?: boolean
  },
): Message {
  return card({
    headline: joinParts('Muted ', ...describeCoverage(mute, here), ', ', ...describeEnd(mute.to)),
    notes: [
      ...(matchesNothing ? [formatNoMatchWarning('muted')] : []),
      ...(replaced ? [describeReplaced(replaced.until)] : []),
      ...(last
        ? [
            joinParts(
              '⚠️ It stays silenced ',
              ...describeEnd(last.to),
              ', because of ',
              ...describeCause(last, here),
              '.',
            ),
          ]
        : []),
      ...partly
        .slice(0, MAX_LISTED)
        .map((silence) =>
          joinParts(
            'Some of it stays silenced ',
            ...describeEnd(silence.to),
            ', because of ',
            ...describeCause(silence, here),
            '.',
          ),
        ),
      isWatched ? WHEN_IT_ENDS : nothingWatchedText(mute.environment),
    ],
    controls: [
      commandButton('Unmute', `/hc unmute ${quoted(mute.planId)}`),
      commandButton('All silences', '/hc watches'),
    ],
  })
}

const describeReplaced = (until: string | undefined): Line =>
  until === undefined
    ? 'This replaces the earlier mute, which had no end.'
    : joinParts('This replaces the earlier mute, which lasted until ', new Date(until), '.')

const describeCause = (silence: Silence, here: CurrentChannels) => [
  silence.kind === 'mute' ? 'the mute of ' : 'maintenance of ',
  ...describeCoverage(silence, here),
]

/** The button that ends a running silence, and the silence's name in a sentence. */
export function offerToEnd(silence: Silence, currentEnvironment: Environment) {
  const { kind, planId, subject, environment, channelId } = silence
  const suffix = environment === currentEnvironment ? '' : ` in ${ENVIRONMENT_NAMES[environment]}`
  const place = channelId === undefined ? ' in every channel' : ''
  const covered = `${describeSubject(subject)}${suffix}`
  return kind === 'mute'
    ? {
        name: `the mute of ${covered}${place}`,
        label: `Unmute ${covered}`,
        line: `/hc unmute ${quoted(planId)}`,
      }
    : {
        name: `maintenance of ${covered}${place}`,
        label: `End maintenance of ${covered}`,
        line: formatEndCommand(silence, true),
      }
}

type EndedSummary = CoveredSubject &
  Pick<Silence, 'kind' | 'planId' | 'every'> & { readonly hasBegun: boolean }

const MAX_OFFERS = 3

/** The answer after silences ended: which ended, and which still apply. A separate card reports what is still down. */
export function endedView(
  ended: readonly EndedSummary[],
  remaining: readonly Silence[],
  {
    endsRecurrence,
    here,
    mayEnd,
  }: { endsRecurrence: boolean; here: CurrentChannels; mayEnd: (silence: Silence) => boolean },
): Message {
  const [first] = ended
  if (!first) throw new Error('Nothing has ended.')
  const names = [...new Set(ended.map(({ subject }) => describeSubject(subject)))].join(', ')
  const moreCount = remaining.length - MAX_LISTED
  const covering = remaining.filter(
    (silence) =>
      silence.environment === first.environment && compareSubjects(silence.subject, first.subject) !== 'none',
  )
  // Of a silence in every channel, only one that also applies everywhere keeps all of it silenced.
  const isWholeCover = (silence: Silence): boolean =>
    compareSubjects(silence.subject, first.subject) === 'all' &&
    (first.channelId !== undefined || silence.channelId === undefined)
  return card({
    headline: joinParts(
      `${chooseEndedVerb(first)} `,
      ...describeCoverage(first, here, names),
      `.${describeNext(first, endsRecurrence, covering.some(isWholeCover))}`,
    ),
    notes: [
      ...remaining.slice(0, MAX_LISTED).map((silence) => describeRemaining(silence, here)),
      ...(moreCount > 0 ? [`and ${formatCount(moreCount)} more: ${cmd('/hc watches')} lists them`] : []),
    ],
    controls: [
      ...(first.kind === 'maintenance' && first.every && !endsRecurrence
        ? [commandButton('Cancel the rest', `/hc maintenance-end ${quoted(first.planId)}`)]
        : []),
      ...(first.kind === 'mute' && ended.length === 1
        ? [commandButton('Mute again', `${formatMuteCommand(first.subject)} --env ${first.environment}`)]
        : []),
      ...covering
        .filter(mayEnd)
        .slice(0, MAX_OFFERS)
        .map((silence) => {
          const { label, line } = offerToEnd(silence, first.environment)
          return commandButton(label, line)
        }),
      commandButton('Watches', '/hc watches'),
    ],
  })
}

const chooseEndedVerb = ({ kind, hasBegun }: EndedSummary): string => {
  if (kind === 'mute') return 'Unmuted'
  return hasBegun ? 'Ended maintenance of' : 'Canceled maintenance of'
}

function describeNext(
  { kind, hasBegun, every }: EndedSummary,
  endsRecurrence: boolean,
  isStillSilenced: boolean,
): string {
  if (kind === 'mute') return ''
  const stillDownText =
    hasBegun && !isStillSilenced
      ? ' Signalman posts what is still down with nobody on it, in the channels that watch it.'
      : ''
  if (!every) return stillDownText
  return `${stillDownText}${endsRecurrence ? ' It doesn’t repeat.' : ` It still repeats every ${every}.`}`
}

const describeRemaining = (remaining: Silence, here: CurrentChannels): Line =>
  joinParts(
    remaining.kind === 'mute' ? 'Still muted: ' : 'Still in maintenance: ',
    ...describeCoverage(remaining, here),
    ', ',
    ...describeEnd(remaining.to),
    '.',
  )

type PlanSummary = SilenceSettings & CoveredSubject & Pick<Silence, 'planId'>

interface PlannedOptions {
  now: Date
  here: CurrentChannels
  /** Who planned it. */
  userId: string
  matchesNothing?: boolean
  /** Another plan of the same checks at the same time. */
  same?: Silence | undefined
}

/** The answer after maintenance was planned or changed. */
export function plannedView(
  plan: PlanSummary,
  change: 'new' | 'changed',
  { now, here, userId, matchesNothing = false, same }: PlannedOptions,
): Message {
  const { from, forMs = 0, every } = plan
  const { to } = createWindow(from, plan)
  const state = getStateAt({ state: 'planned', from, to }, now)
  const hasBegun = state === 'running'
  const newLead = hasBegun ? 'Started' : 'Planned'
  const lead = change === 'changed' ? 'Saved:' : newLead
  const when = state === 'planned' ? 'an hour before' : 'now'
  const announcement =
    change === 'changed'
      ? `Signalman updates its announcement, or posts one ${when} if there is none yet.`
      : joinParts(
          `Signalman announces it ${when} in `,
          ...(plan.channelId === undefined
            ? ['the channels that watch these health checks.']
            : [...describeChannel(plan.channelId, here), ', if that channel watches these health checks.']),
        )
  return card({
    headline: joinParts(
      `${lead} maintenance of `,
      ...describeCoverage(plan, here),
      ...(hasBegun ? [', ', ...describeEnd(to)] : [', from ', from, ` for ${formatDuration(forMs)}`]),
    ),
    notes: [
      ...(matchesNothing ? [formatNoMatchWarning('in maintenance')] : []),
      ...(same ? [describeSamePlan(same, userId)] : []),
      ...(every ? [`It repeats every ${every}, at that time in ${plan.timeZone}.`] : []),
      announcement,
      MAINTENANCE_EFFECT,
    ],
    controls: maintenanceControls(plan, hasBegun),
  })
}

const describeSamePlan = ({ ownerId, ownerName, every }: Silence, userId: string): string =>
  `${ownerId === userId ? 'You had already' : `${clip(oneLine(ownerName), 80)} has also`} planned the same maintenance for the same time${every ? `, every ${every}` : ''}. Both plans stay: ending one doesn’t end the other. To see both, use ${cmd('/hc maintenance')}.`

const PAGE_SIZE = 20

const exampleText = (): string =>
  `For example: ${cmd('/hc maintenance')} shop* --from "Mon 22:00" --for 2h --every week --because "database upgrade"`

/** A page of the workspace's planned and running maintenance. */
export function maintenanceListView(
  all: readonly Silence[],
  {
    now,
    here,
    mayEnd,
    page: requestedPage = 1,
  }: {
    now: Date
    here: CurrentChannels
    mayEnd: (silence: Silence) => boolean
    page?: number | undefined
  },
): Message {
  const windows = all.map((window) => withStateAt(window, now))
  const { items: shown, page, pages } = slicePage(windows, requestedPage, PAGE_SIZE)
  const { previous, next } = neighborPages({ page, pages }, (to) => `/hc maintenance --page ${to}`)
  const running = windows.filter(({ state }) => state === 'running').length
  const planned = windows.length - running
  const counts = [
    running > 0 && `${formatCount(running)} under way`,
    planned > 0 && `${formatCount(planned)} planned`,
  ]
  const choices = silenceChoices(shown, mayEnd)
  const createMenu = (placeholder: string, action: 'change' | 'end') => {
    const offered = choices.flatMap((choice) => choice[action] ?? [])
    return offered.length > 0 ? [commandMenu(placeholder, offered, { inPlace: false })] : []
  }
  return card({
    headline:
      windows.length === 0
        ? 'No maintenance is planned'
        : [`Maintenance: ${counts.filter(Boolean).join(', ')}`, describePage(page, pages)]
            .filter(Boolean)
            .join(' · '),
    body: shown.map((window) => lines(formatSilence(window, here))),
    smallPrint: windows.length === 0 ? [exampleText()] : [],
    controls: [
      commandButton('Plan maintenance', '/hc maintenance-edit'),
      ...createMenu('Change…', 'change'),
      ...createMenu('End or cancel…', 'end'),
      ...pageButtons({ previous, next }),
    ],
  })
}
