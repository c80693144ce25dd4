import {
  actions,
  commandButton,
  context,
  header,
  literal,
  type Message,
  message,
  mrkdwn,
  section,
  utc,
} from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import type { Modal } from '../../../../bot/routes/routes.ts'
import { badgeOf, type Environment } from '../../../../domain/environment.ts'
import { counted } from '../../../../domain/wording.ts'
import type { ThreatCase } from '../../rows/case-rows.ts'
import type { TakedownWatch } from '../../rows/takedown-watches.ts'
import { watchedWords } from '../../takedown-watch/views.ts'
import { aboutOf } from '../about-case.ts'
import { type CaseStepKind, stepsFrom } from '../case-steps.ts'
import { caseStateWords, stepWords } from './words.ts'

/** A case as one person sees it. */
interface ShownCase {
  eventId: string
  environment: Environment
  found: ThreatCase | undefined
  viewerId: string
  /** Undefined when nobody watches whether the site is down. */
  watch: TakedownWatch | undefined
  now: Date
}

const STEPS = 12

/** Who has an event, what was done about it and when, and what can be done next. */
export function caseWindow(shown: ShownCase): Modal {
  return { title: 'Threat case', blocks: caseBlocks(shown) }
}

/** The outcome of a step, above the case as it is now. */
export function caseView(said: readonly string[], shown: ShownCase): Message {
  const { found, eventId, environment } = shown
  const lines = found ? [titleOf(found), caseStateWords(found)] : []
  return message(
    [...said, ...lines, `${eventId}${badgeOf(environment)}`].map(literal).join('\n'),
    said.map((line) => section(line)),
    ...caseBlocks(shown),
  )
}

function caseBlocks({ eventId, environment, found, viewerId, watch, now }: ShownCase): KnownBlock[] {
  const foot = `${eventId}${badgeOf(environment)}`
  const buttons = actions(
    ...stepButtons(eventId, found, viewerId),
    ...(found ? watchButton(eventId, watch) : []),
    commandButton('Whole card', `/threat ${eventId}`),
    commandButton('Queue', '/threat queue'),
  )
  if (!found)
    return [section('Nobody has taken this threat event: it has no case yet.'), ...buttons, context(foot)]
  const { verdict, lines } = aboutOf(found).card
  const shown = found.steps.slice(-STEPS)
  const left = found.version - shown.length
  return [
    header(verdict),
    section([lines[0] ?? '', caseStateWords(found)].join('\n')),
    section(
      [
        ...(left > 0 ? [`${counted(left, 'step')} before these.`] : []),
        ...shown.map((step) => `${utc(step.at)} · ${stepWords(found, step)}`),
      ].join('\n'),
    ),
    ...(watch ? [context(watchedWords(watch, now))] : []),
    ...(found.place ? [context(mrkdwn(`Told in <#${found.place.channelId}>`, 200))] : []),
    ...buttons,
    context(foot),
  ]
}

const watchButton = (eventId: string, watch: TakedownWatch | undefined): Button[] => [
  watch
    ? commandButton('Stop watching', `/threat unwatch ${eventId}`, { inPlace: true })
    : commandButton('Watch until it is down', `/threat watch ${eventId}`, { inPlace: true }),
]

const titleOf = (found: ThreatCase): string => {
  const { verdict, lines } = aboutOf(found).card
  return [verdict, lines[0]].filter(Boolean).join(' · ')
}

/** The steps that people take, each by the verb of its name; a note comes from the app itself. */
export type PersonalStep = Exclude<CaseStepKind, 'note'>

const LABELS: Readonly<Record<PersonalStep, string>> = {
  take: 'Take',
  'takedown-sent': 'Takedown sent',
  down: 'Down',
  'false-positive': 'False positive',
  release: 'Give back',
  reopen: 'Open again',
}
// The order of the buttons: first what carries the case on, then what ends it. `LABELS` has no key but these.
const ORDER = Object.keys(LABELS) as PersonalStep[]

/** A button for each step that the case can take now, without those that the viewer may not take. */
export function stepButtons(
  eventId: string,
  found: ThreatCase | undefined,
  viewerId: string | undefined,
): Button[] {
  const steps = stepsFrom(found?.state)
  return ORDER.filter((step) => steps.includes(step)).flatMap((step): Button[] => {
    const holder = found?.holder
    if (step === 'take' && holder)
      return holder.userId === viewerId
        ? []
        : [commandButton('Take over', takeOverLine(eventId, found.version), { inPlace: true })]
    if (step === 'release' && (!holder || (viewerId !== undefined && holder.userId !== viewerId))) return []
    return [
      commandButton(LABELS[step], `/threat ${step} ${eventId}`, {
        inPlace: true,
        ...(step === 'take' && { style: 'primary' }),
      }),
    ]
  })
}

/** Names the version that was shown, so that nobody takes the case from a holder whom they did not see. */
export const takeOverLine = (eventId: string, version: number): string =>
  `/threat take ${eventId} --over ${version}`
