import {
  actions,
  commandButton,
  context,
  date,
  header,
  literal,
  type Message,
  message,
  mrkdwn,
  paragraph,
  richText,
  section,
  words,
} from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import type { Modal } from '../../../../bot/routes/routes.ts'
import { badgeOf, type Environment } from '../../../../domain/environment.ts'
import { counted } from '../../../../domain/wording.ts'
import type { ThreatCase } from '../../rows/case-rows.ts'
import type { TakedownWatch } from '../../rows/takedown-watches.ts'
import { watchedWords } from '../../takedown-watch/views.ts'
import { aboutOf } from '../about-case.ts'
import { asksToLook, type PersonalStep, stepsFrom } from '../case-steps.ts'
import { caseNews, caseStateWords, STEPS, stepWords, takeOverLine } from './words.ts'

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

const SHOWN = 12

/** Who has an event, what was done about it and when, and what can be done next. */
export function caseWindow(shown: ShownCase): Modal {
  return { title: 'Threat case', blocks: caseBlocks(shown) }
}

/** The outcome of a step, above the case as it is now. */
export function caseView(said: readonly string[], shown: ShownCase): Message {
  const { found, eventId, environment } = shown
  const lines = found ? [headLine(found), eventLine(found)] : []
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
  const shown = found.steps.slice(-SHOWN)
  const left = found.version - shown.length
  return [
    header(headLine(found)),
    section([eventLine(found), ...(asksToLook(found) ? [caseStateWords(found)] : [])].join('\n')),
    richText(
      ...shown.map((step) => paragraph(date(step.at), words(` · ${stepWords(found, step)}`))),
      ...(left > 0 ? [paragraph(words(`${counted(left, 'step')} before these`))] : []),
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

const eventLine = (found: ThreatCase): string => {
  const { verdict, lines } = aboutOf(found).card
  return [lines[0], verdict].filter(Boolean).join(' · ')
}

const headLine = (found: ThreatCase): string => caseNews(found) ?? caseStateWords(found)

// `STEPS` has no key but these.
const ORDER = Object.keys(STEPS) as PersonalStep[]

/** A button for each step that the case can take now, without those that the viewer may not take. */
export function stepButtons(
  eventId: string,
  found: ThreatCase | undefined,
  viewerId: string | undefined,
): Button[] {
  const { state, holder, version = 0 } = found ?? {}
  const steps = stepsFrom(state)
  const isMine = holder !== undefined && (viewerId === undefined || holder.userId === viewerId)
  const isAsked = found !== undefined && asksToLook(found)
  const isOffered: Partial<Record<PersonalStep, boolean>> = {
    take: !isMine,
    release: isMine,
    // That it is up is news only where nobody can see it from here.
    up: isAsked,
  }
  return ORDER.filter((step) => steps.includes(step) && isOffered[step] !== false).map((step) =>
    step === 'take' && holder
      ? commandButton('Take over', takeOverLine(eventId, version), { inPlace: true })
      : commandButton(STEPS[step].button, `/threat ${step} ${eventId}`, {
          inPlace: true,
          ...(step === 'take' && { style: 'primary' }),
        }),
  )
}
