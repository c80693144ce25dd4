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
import type { Modal } from '../../../bot/routes/routes.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import { readAbout } from '../rules/about-case.ts'
import { isOpen, type PersonalStep, stepsFrom } from '../rules/case-steps.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { caseNews, caseStateWords, STEPS, stepWords, takeOverLine } from './case-words.ts'

/** A case as one person sees it. */
interface ShownCase {
  eventId: string
  environment: Environment
  found: ThreatCase | undefined
  viewerId: string
}

const SHOWN = 12

/** Who has an event, what was done about it and when, and the possible next steps. */
export function caseWindow(shown: ShownCase): Modal {
  return { title: 'Threat case', blocks: caseBlocks(shown) }
}

/** The outcome of a step, above the updated case. */
export function caseView(said: readonly string[], shown: ShownCase): Message {
  const blocks = [...said.map((line) => section(line)), ...caseBlocks(shown)]
  return message(blocksText(blocks), blocks)
}

function caseBlocks({ eventId, environment, found, viewerId }: ShownCase): KnownBlock[] {
  const foot = `${eventId}${badgeOf(environment)}`
  const { shown: steps, folded } = stepButtons(eventId, found, viewerId)
  const buttons = actions(
    ...controlRow(
      [...steps, ...watchButtons(eventId, found)],
      [
        ...folded,
        ...(found?.place && !found.place.isFull
          ? [commandButton('Show names in the channel', `/threat reveal ${eventId}`)]
          : []),
        commandButton('Whole card', `/threat ${eventId}`),
        commandButton('Queue', '/threat queue'),
      ],
    ),
  )
  if (!found)
    return [section('Nobody has taken this threat event yet, so it has no case.'), ...buttons, context(foot)]
  const shown = found.steps.slice(-SHOWN)
  const left = found.version - shown.length
  return [
    header(headLine(found)),
    section(eventLine(found)),
    richText(
      ...shown.map((step) => paragraph(date(step.at), words(` · ${stepWords(found, step)}`))),
      ...(left > 0 ? [paragraph(words(`${counted(left, 'step')} before these`))] : []),
    ),
    ...(found.checkUuid
      ? [
          context(
            'Watched until it’s down. When the health check can’t reach it, Signalman asks whoever watches.',
          ),
        ]
      : []),
    ...(found.place ? [context(placeLine(found.place))] : []),
    ...buttons,
    context(foot),
  ]
}

const placeLine = ({ channelId, isFull }: NonNullable<ThreatCase['place']>) =>
  mrkdwn(`Its card is in <#${channelId}>, ${isFull ? 'with' : 'without'} the screenshot and names`, 200)

function watchButtons(eventId: string, found: ThreatCase | undefined): Button[] {
  if (!found || !isOpen(found)) return []
  return found.checkUuid
    ? [commandButton('Stop watching', `/threat unwatch ${eventId}`, { inPlace: true })]
    : [commandButton('Watch until it’s down', `/threat watch ${eventId}`, { inPlace: true })]
}

const eventLine = (found: ThreatCase): string => {
  const { verdict, lines } = readAbout(found).card
  return [lines[0], verdict].filter(Boolean).join(' · ')
}

const headLine = (found: ThreatCase): string => caseNews(found) ?? caseStateWords(found)

// `STEPS` has no key but these.
const ORDER = Object.keys(STEPS) as PersonalStep[]
/** Less frequent steps, behind `···`. */
const FOLDED: readonly PersonalStep[] = ['false-positive', 'release']

/** A button for each possible step that the viewer is allowed to take. */
export function stepButtons(
  eventId: string,
  found: ThreatCase | undefined,
  viewerId: string | undefined,
): { shown: Button[]; folded: Button[] } {
  const { state, holder, version = 0 } = found ?? {}
  const steps = stepsFrom(state)
  const isMine = holder !== undefined && (viewerId === undefined || holder.userId === viewerId)
  // Asks people whether the page is still up if the health check can't reach it.
  const isLeftOut = { take: isMine, release: !isMine, up: true } as Partial<Record<PersonalStep, boolean>>
  const offered = ORDER.filter((step) => steps.includes(step) && !isLeftOut[step])
  const drawn = (step: PersonalStep, inPlace: boolean): Button =>
    step === 'take' && holder
      ? commandButton('Take over', takeOverLine(eventId, version), { inPlace })
      : commandButton(STEPS[step].button, `/threat ${step} ${eventId}`, {
          inPlace,
          ...(step === 'take' && { style: 'primary' }),
        })
  return {
    shown: offered.filter((step) => !FOLDED.includes(step)).map((step) => drawn(step, true)),
    folded: offered.filter((step) => FOLDED.includes(step)).map((step) => drawn(step, false)),
  }
}
