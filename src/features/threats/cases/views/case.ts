import {
  actions,
  blocksText,
  commandButton,
  context,
  controlRow,
  date,
  header,
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
  const blocks = [...said.map((line) => section(line)), ...caseBlocks(shown)]
  return message(blocksText(blocks), blocks)
}

function caseBlocks({ eventId, environment, found, viewerId, watch, now }: ShownCase): KnownBlock[] {
  const foot = `${eventId}${badgeOf(environment)}`
  const { shown: steps, folded } = stepButtons(eventId, found, viewerId)
  const buttons = actions(
    ...controlRow(
      [...steps, ...(found ? [watchButton(eventId, watch)] : [])],
      [...folded, commandButton('Whole card', `/threat ${eventId}`), commandButton('Queue', '/threat queue')],
    ),
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

const watchButton = (eventId: string, watch: TakedownWatch | undefined): Button =>
  watch
    ? commandButton('Stop watching', `/threat unwatch ${eventId}`, { inPlace: true })
    : commandButton('Watch until it is down', `/threat watch ${eventId}`, { inPlace: true })

const eventLine = (found: ThreatCase): string => {
  const { verdict, lines } = aboutOf(found).card
  return [lines[0], verdict].filter(Boolean).join(' · ')
}

const headLine = (found: ThreatCase): string => caseNews(found) ?? caseStateWords(found)

// `STEPS` has no key but these.
const ORDER = Object.keys(STEPS) as PersonalStep[]
/** Steps that are taken less often, behind `···`. */
const FOLDED: readonly PersonalStep[] = ['false-positive', 'release']

/** A button for each step that the case can take now, without those that the viewer may not take. */
export function stepButtons(
  eventId: string,
  found: ThreatCase | undefined,
  viewerId: string | undefined,
): { shown: Button[]; folded: Button[] } {
  const { state, holder, version = 0 } = found ?? {}
  const steps = stepsFrom(state)
  const isMine = holder !== undefined && (viewerId === undefined || holder.userId === viewerId)
  const isAsked = found !== undefined && asksToLook(found)
  // That it is up is news only where nobody can see it from here.
  const isLeftOut = { take: isMine, release: !isMine, up: !isAsked } as Partial<Record<PersonalStep, boolean>>
  const offered = ORDER.filter((step) => steps.includes(step) && !isLeftOut[step])
  const drawn = (step: PersonalStep, inPlace: boolean): Button =>
    step === 'take' && holder
      ? commandButton('Take over', takeOverLine(eventId, version), { inPlace })
      : commandButton(STEPS[step].button, `/threat ${step} ${eventId}`, {
          inPlace,
          ...(step === 'take' && { style: 'primary' }),
        })
  // What is asked stands first; to take the case over can wait until it is answered.
  const folded = isAsked && holder ? [...FOLDED, 'take'] : FOLDED
  const first = (step: PersonalStep): number => (isAsked && (step === 'down' || step === 'up') ? 0 : 1)
  return {
    shown: offered
      .filter((step) => !folded.includes(step))
      .toSorted((one, other) => first(one) - first(other))
      .map((step) => drawn(step, true)),
    folded: offered.filter((step) => folded.includes(step)).map((step) => drawn(step, false)),
  }
}
