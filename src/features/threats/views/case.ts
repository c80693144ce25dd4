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
  textElement,
} from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import type { Modal } from '../../../bot/routes/routes.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { isOpen, listPossibleSteps, type PersonalStep } from '../rules/case-steps.ts'
import { isWatched } from '../rules/case-watch.ts'
import { readSnapshot } from '../rules/event-snapshot.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { describeCaseState, downNotice, formatStep, STEPS, takeLabel, takeOverLine } from './case-words.ts'
import { describeWatch } from './watched.ts'

/** A case as one person sees it. */
export interface ShownCase {
  eventId: string
  environment: Environment
  threatCase: ThreatCase | undefined
  viewerId: string
  now: Date
  /** Whether taking the event would post in a channel. */
  isTakeAnnounced: boolean
}

const MAX_STEPS = 12

/** A window with who has a case, what was done and when, and the possible next steps. */
export function caseWindow(shown: ShownCase): Modal {
  return { title: 'Threat case', blocks: caseBlocks(shown) }
}

/** The outcome of a step, above the updated case. */
export function caseView(outcome: readonly string[], shown: ShownCase): Message {
  const blocks = [...outcome.map((line) => section(line)), ...caseBlocks(shown)]
  return message(blocksText(blocks), blocks)
}

function caseBlocks({
  eventId,
  environment,
  threatCase,
  viewerId,
  now,
  isTakeAnnounced,
}: ShownCase): KnownBlock[] {
  const footer = `${eventId}${environmentSuffix(environment)}`
  const { shown: steps, folded } = stepButtons(eventId, threatCase, { viewerId, isTakeAnnounced })
  const buttons = actions(
    ...controlRow(
      [...steps, ...watchButtons(eventId, threatCase)],
      [
        ...folded,
        ...(threatCase?.card && !threatCase.card.isFull
          ? [commandButton('Show names in the channel', `/threat reveal ${eventId}`)]
          : []),
        commandButton('Whole card', `/threat ${eventId}`),
        commandButton('Queue', '/threat queue'),
      ],
    ),
  )
  const place = environment === 'ote' ? ' in OTE' : ''
  if (!threatCase)
    return [
      section(`Nobody has taken this threat event${place} yet, so it has no case${place}.`),
      ...buttons,
      context(footer),
    ]
  const newestSteps = threatCase.steps.slice(-MAX_STEPS)
  const olderCount = threatCase.version - newestSteps.length
  return [
    header(headline(threatCase)),
    section(eventLine(threatCase)),
    richText(
      ...newestSteps.map((step) =>
        paragraph(date(step.at), textElement(` · ${formatStep(threatCase, step)}`)),
      ),
      ...(olderCount > 0 ? [paragraph(textElement(`${pluralize(olderCount, 'step')} before these`))] : []),
    ),
    ...(isWatched(threatCase, now) ? [context(describeWatch(threatCase, now))] : []),
    ...(threatCase.card ? [context(cardLocationLine(threatCase.card))] : []),
    ...buttons,
    context(footer),
  ]
}

const cardLocationLine = ({ channelId, isFull }: NonNullable<ThreatCase['card']>) =>
  mrkdwn(`Its card is in <#${channelId}>, ${isFull ? 'with' : 'without'} the screenshot and names`, 200)

function watchButtons(eventId: string, threatCase: ThreatCase | undefined): Button[] {
  if (!threatCase || !isOpen(threatCase)) return []
  return threatCase.checkUuid
    ? [commandButton('Stop watching', `/threat unwatch ${eventId}`, { inPlace: true })]
    : [commandButton('Watch until it’s down', `/threat watch ${eventId}`, { inPlace: true })]
}

const eventLine = (threatCase: ThreatCase): string => {
  const { verdict, lines } = readSnapshot(threatCase).card
  return [lines[0], verdict].filter(Boolean).join(' · ')
}

const headline = (threatCase: ThreatCase): string => downNotice(threatCase) ?? describeCaseState(threatCase)

// Cast, because the keys of `STEPS` are the steps.
const BUTTON_ORDER = Object.keys(STEPS) as PersonalStep[]
/** Less frequent steps, shown behind `···`. */
const FOLDED_STEPS: readonly PersonalStep[] = ['false-positive', 'release']

/** A button for each possible step that the viewer is allowed to take. */
export function stepButtons(
  eventId: string,
  threatCase: ThreatCase | undefined,
  { viewerId, isTakeAnnounced }: Pick<ShownCase, 'viewerId' | 'isTakeAnnounced'>,
): { shown: Button[]; folded: Button[] } {
  const { state, holder, version = 0 } = threatCase ?? {}
  const steps = listPossibleSteps(state)
  const isMine = holder?.userId === viewerId
  // `up` is only offered when Signalman asks whether the page is down.
  const isHidden = { take: isMine, release: !isMine, up: true } as Partial<Record<PersonalStep, boolean>>
  const visibleSteps = BUTTON_ORDER.filter((step) => steps.includes(step) && !isHidden[step])
  const createButton = (step: PersonalStep, { inPlace }: { inPlace: boolean }): Button =>
    step === 'take' && holder
      ? commandButton('Take over', takeOverLine(eventId, version), { inPlace })
      : commandButton(
          step === 'take' ? takeLabel(isTakeAnnounced) : STEPS[step].button,
          `/threat ${step} ${eventId}`,
          {
            inPlace,
            ...(step === 'take' && { style: 'primary' }),
          },
        )
  return {
    shown: visibleSteps
      .filter((step) => !FOLDED_STEPS.includes(step))
      .map((step) => createButton(step, { inPlace: true })),
    folded: visibleSteps
      .filter((step) => FOLDED_STEPS.includes(step))
      .map((step) => createButton(step, { inPlace: false })),
  }
}
