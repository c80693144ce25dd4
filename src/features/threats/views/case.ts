import { Question } from '@signalman/runtime'
import {
  actions,
  blocksText,
  commandButton,
  context,
  header,
  joinLines,
  LIMITS,
  literal,
  type Message,
  message,
  mrkdwn,
  mrkdwnSection,
  paragraph,
  richText,
  section,
} from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import type { Modal } from '../../../bot/routes/routes.ts'
import { slicePage } from '../../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { quotedName } from '../../../domain/quoting.ts'
import { safeLine } from '../rules/defang.ts'
import { writeEventCommand } from '../rules/ids.ts'
import {
  type CasePerson,
  type CaseState,
  type CaseStep,
  ENDS,
  type End,
  isEnded,
  type ThreatCase,
} from '../rules/threat-case.ts'
import { cardView } from './card-message.ts'
import { pageBlocks } from './windows.ts'

/** Of a note as it's shown, so that its end is never lost. */
export const MAX_NOTE_LENGTH = 1000
const MAX_NAME_LENGTH = 60
const MAX_STEPS = 12

export const STATE_NAMES: Readonly<Record<CaseState, string>> = {
  open: 'Nobody is on it',
  taken: 'Taken',
  down: 'Taken down',
  'false-positive': 'False positive',
  other: 'Closed',
}

export const UNDECRYPTABLE = 'its case can’t be decrypted'

export const END_LABELS: Readonly<Record<End, string>> = {
  down: 'Taken down',
  'false-positive': 'False positive',
  other: 'Close case',
}

const personName = ({ name }: CasePerson): string => safeLine(name, MAX_NAME_LENGTH)

/** `Taken by Ann`, `Taken down, says Ben`; the step has what was typed. Without “ago”, so that it stays true on a card that isn't updated. */
export function describeState({
  state,
  holder,
  steps,
}: Pick<ThreatCase, 'state' | 'holder' | 'steps'>): string {
  if (state === 'open') return STATE_NAMES.open
  if (state === 'taken') return `Taken${holder ? ` by ${personName(holder)}` : ''}`
  const end = steps.findLast(({ kind }) => kind === state)
  return end ? describeStep({ ...end, text: undefined }) : STATE_NAMES[state]
}

/** A step as a line of the thread and of the case's window. */
export function describeStep({ kind, by, text }: CaseStep): string {
  const typed = text ? `: ${safeLine(text, MAX_NOTE_LENGTH)}` : ''
  if (kind === 'take') return `Taken by ${personName(by)}`
  return `${kind === 'note' ? 'Note from' : `${STATE_NAMES[kind]}, says`} ${personName(by)}${typed}`
}

/** The card of a case in its channel: facts only, because guests may read it, and who has it. A click checks the person's rights. */
export function caseCardView(threatCase: ThreatCase): Message {
  const { event, eventId: id, environment, state } = threatCase
  const { verdict, lines, notes, reportedAt } = event
  const readAt = new Date(event.readAt)
  const reported = reportedAt === undefined ? undefined : new Date(reportedAt)
  const facts = [
    describeState(threatCase),
    ...(reported && reported <= readAt ? [['reported ', reported]] : []),
    ['as of ', readAt],
    ...notes,
  ]
  // On its own line, a phone shows the ID whole.
  const footer = [joinLines(facts, ' · '), `\n${id}`]
  return cardView(
    {
      card: {
        id,
        verdict: state === 'down' ? `🟢 Recorded as taken down · ${verdict}` : verdict,
        lines,
        footer,
      },
      buttons: [
        state === 'open'
          ? { label: 'Take', line: writeEventCommand('take', id), style: 'primary' }
          : { label: 'Case', line: writeEventCommand('case', id) },
        { label: 'Details', line: writeEventCommand('details', id) },
        { label: 'Copy values', line: writeEventCommand('copy', id) },
        { label: 'Export', line: writeEventCommand('export', id) },
      ],
    },
    { environment },
  )
}

/** As many steps that aren't in the thread yet as fit in a message, one per line, and the version up to which; undefined if there are none. */
export function stepsView({
  steps,
  postedVersion,
}: ThreatCase): { content: Message; version: number } | undefined {
  const lines: string[] = []
  let version = postedVersion
  let size = 0
  for (const step of steps.filter((each) => each.version > postedVersion)) {
    const line = describeStep(step)
    size += line.length + 1
    if (size > LIMITS.sectionText && lines.length > 0) break
    lines.push(line)
    version = step.version
  }
  if (lines.length === 0) return undefined
  return { content: message(lines.map(literal).join('\n'), section(lines.join('\n'))), version }
}

export interface ShownCase {
  eventId: string
  environment: Environment
  threatCase: ThreatCase | undefined
  viewerId: string
  /** Which page of its steps, beginning with the newest. */
  page?: number | undefined
}

export const caseWindow = (shown: ShownCase): Modal => ({ title: 'Threat case', blocks: caseBlocks(shown) })

export function caseView(outcome: string, shown: ShownCase): Message {
  const blocks = [section(outcome), ...caseBlocks(shown)]
  return message(blocksText(blocks), blocks)
}

function caseBlocks({ eventId, environment, threatCase, viewerId, page = 1 }: ShownCase): KnownBlock[] {
  const footer = context(`${eventId}${environmentSuffix(environment)}`)
  const buttons = actions(
    ...caseButtons(eventId, threatCase, viewerId),
    commandButton('Queue', '/threat queue'),
  )
  // The ID is what was typed. Whether the service has such an event wasn't asked.
  if (!threatCase) return [section('There’s no case with this ID yet.'), ...buttons, footer]
  const { event, steps, card } = threatCase
  const shownSteps = slicePage(steps.toReversed(), page, MAX_STEPS)
  return [
    header(describeState(threatCase)),
    section([event.lines[0], event.verdict].filter(Boolean).join(' · ')),
    ...(steps.length === 0
      ? []
      : [
          richText(
            ...shownSteps.items.toReversed().map((step) => paragraph([step.at, ` · ${describeStep(step)}`])),
          ),
        ]),
    ...pageBlocks(shownSteps, writeEventCommand('case', eventId)),
    context(
      card
        ? mrkdwn(`${card.messageTs ? 'Its card is in' : 'Posting its card in'} <#${card.channelId}>`, 200)
        : 'No channel has its card. To let others see this case, share the card.',
    ),
    ...buttons,
    footer,
  ]
}

export function notPostedView({ event, eventId }: ThreatCase, channelId: string): Message {
  const text = `Slack doesn’t let me post the case ${literal(event.lines[0] ?? '')} in <#${channelId}>, so nobody there sees it. To let others see it, share its card.`
  return message(
    text,
    mrkdwnSection(text),
    actions(commandButton('Case', writeEventCommand('case', eventId))),
  )
}

/** Buttons for someone else's case have the version that the person saw here, with who has it. */
function caseButtons(eventId: string, threatCase: ThreatCase | undefined, viewerId: string): Button[] {
  const { state = 'open', holder, version } = threatCase ?? {}
  const isMine = state === 'taken' && holder?.userId === viewerId
  const over = state === 'taken' && !isMine ? version : undefined
  const takeLabel = isEnded({ state }) ? 'Reopen' : over === undefined ? 'Take' : 'Take over'
  const take = writeEventCommand('take', eventId, { flags: { over } })
  return [
    ...(isMine ? [] : [commandButton(takeLabel, take, { inPlace: true })]),
    ...(isEnded({ state })
      ? []
      : ENDS.map((end) =>
          commandButton(END_LABELS[end], closeLine(eventId, { as: end, over }), { inPlace: true }),
        )),
  ]
}

/** The line that closes a case, with what was typed about it. */
export const closeLine = (
  eventId: string,
  { as, over }: { as: End; over?: number | undefined },
  text = '',
): string =>
  // A text after the number would be read as part of it.
  [writeEventCommand('close', eventId, { flags: { over, as } }), text && quotedName(text)]
    .filter(Boolean)
    .join(' ')

/**
 * Asks whether to take over or close someone else's case. The button has the version that the question is about, so that it
 * asks again after another step.
 */
export function askAboutOthersCase(
  { eventId, holder, version: over }: ThreatCase,
  kind: 'take' | End,
  text: string | undefined,
): Question {
  const has = `${holder ? personName(holder) : 'Someone'} has this case. Nothing was changed.`
  return kind === 'take'
    ? new Question(`${has} Do you want to take it over?`, [
        { label: 'Take over', line: writeEventCommand('take', eventId, { flags: { over } }) },
      ])
    : new Question(`${has} Do you want to close it anyway?`, [
        { label: END_LABELS[kind], line: closeLine(eventId, { as: kind, over }, text) },
      ])
}
