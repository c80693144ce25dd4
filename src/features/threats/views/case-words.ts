import { formatDuration, type SuggestedCommand } from '@signalman/runtime'
import type { CasePerson, CaseState, CaseStep, CaseStepKind, PersonalStep } from '../rules/case-steps.ts'
import { safeLine } from '../rules/defang.ts'
import { reportedAt } from '../rules/event-snapshot.ts'
import type { ThreatCase } from '../rules/threat-case.ts'

/** The name of each state in lists. */
export const STATE_NAMES: Readonly<Record<CaseState, string>> = {
  open: 'open',
  taken: 'taken',
  'takedown-sent': 'takedown sent',
  down: 'taken down',
  'false-positive': 'false positive',
}

const MAX_NAME_LENGTH = 60
export const MAX_NOTE_LENGTH = 500

export const personName = ({ name }: CasePerson): string => safeLine(name, MAX_NAME_LENGTH)
const formatReportedBy = ({ by }: { by: CasePerson | undefined }): string =>
  by?.name ? `, says ${personName(by)}` : ''
const formatBy = (step: { by: CasePerson | undefined }): string =>
  step.by?.name ? ` by ${personName(step.by)}` : ''

/** Removes all names and typed texts from a case, to show it in channels that guests may read. */
export function withoutNames(threatCase: ThreatCase): ThreatCase {
  const removeName = <P extends CasePerson | undefined>(person: P): P => person && { ...person, name: '' }
  return {
    ...threatCase,
    holder: removeName(threatCase.holder),
    steps: threatCase.steps.map((step) => ({
      ...step,
      by: removeName(step.by),
      ...(step.previousHolder !== undefined && { previousHolder: '' }),
      typedText: undefined,
      ...(step.newHolder !== undefined && { newHolder: removeName(step.newHolder) }),
    })),
  }
}

const formatTyped = ({ typedText }: Pick<CaseStep, 'typedText'>): string =>
  typedText ? `: ${safeLine(typedText, MAX_NOTE_LENGTH)}` : ''

interface StepTexts {
  /** The description of the verb in the help. */
  description: string
  button: string
  /** The reply to the person who took the step. */
  answer: string
  /** Completes `This case can’t be …`. */
  refused: string
  /** The line in the thread. */
  threadLine(step: CaseStep): string
}

/** The button that takes an event. Taking it may post in a channel, which nobody should find out afterwards. */
export const takeLabel = (isAnnounced: boolean): string => (isAnnounced ? 'Take and announce' : 'Take')

export const createTakeSuggestion = (eventId: string, isAnnounced: boolean): SuggestedCommand => ({
  label: takeLabel(isAnnounced),
  line: `/threat take ${eventId}`,
})

/** The texts of the steps that people take, in the order of their buttons. */
export const STEPS: Readonly<Record<PersonalStep, StepTexts>> = {
  take: {
    description: 'Take a threat event, so that everyone sees you’re working on it',
    button: 'Take',
    answer: 'This case is yours now.',
    refused: 'taken',
    threadLine: (step) =>
      step.previousHolder === undefined
        ? `Taken${formatBy(step)}`
        : `Taken over${formatBy(step)}${step.previousHolder ? ` from ${safeLine(step.previousHolder, MAX_NAME_LENGTH)}` : ''}`,
  },
  'takedown-sent': {
    description: 'Record that the takedown request was sent',
    button: 'Takedown sent',
    answer: 'Recorded that the takedown request was sent.',
    refused: 'marked as sent',
    threadLine: (step) => `Takedown sent${formatReportedBy(step)}${formatTyped(step)}`,
  },
  down: {
    description: 'Record that a page is down, and close the case',
    button: 'It’s down',
    answer: 'Recorded as down. The case is closed.',
    refused: 'marked as down',
    threadLine: (step) => `Taken down${formatReportedBy(step)}`,
  },
  up: {
    description: 'Record that a page is still up, although the health check can’t reach it',
    button: 'Still up',
    answer: 'Recorded as still up. The case stays open.',
    refused: 'marked as up',
    threadLine: (step) => `Still up${formatReportedBy(step)}`,
  },
  'false-positive': {
    description: 'Mark a threat event as a false positive, and close the case',
    button: 'False positive',
    answer: 'Marked as a false positive. The case is closed.',
    refused: 'marked as a false positive',
    threadLine: (step) => `False positive${formatReportedBy(step)}`,
  },
  release: {
    description: 'Give up a case, so that someone else can take it',
    button: 'Give back',
    answer: 'You gave this case back. It’s unassigned.',
    refused: 'given back',
    threadLine: (step) => `Given back${formatBy(step)}`,
  },
  reopen: {
    description: 'Reopen a closed case and take it',
    button: 'Reopen',
    answer: 'The case is open again and yours.',
    refused: 'reopened',
    threadLine: (step) => `Reopened${formatBy(step)}`,
  },
}

/** The state that each step leads to. A case in `takedown-sent` stays in it when someone takes it or hands it over. */
const STATE_AFTER_STEP: Readonly<Partial<Record<CaseStepKind, CaseState>>> = {
  take: 'taken',
  'hand-over': 'taken',
  reopen: 'taken',
  'takedown-sent': 'takedown-sent',
  down: 'down',
  'false-positive': 'false-positive',
}

interface StateFacts {
  holder: CasePerson | undefined
  /** The person who took the step that led to the state. */
  by: CasePerson | undefined
  /** ` 12 min after the report`, or empty. */
  sinceReport: string
}

const CASE_STATE_TEXTS: Readonly<Record<CaseState, (facts: StateFacts) => string>> = {
  open: () => 'Open, unassigned',
  taken: ({ holder, sinceReport }) => `Taken${formatBy({ by: holder })}${sinceReport}`,
  'takedown-sent': ({ holder, sinceReport, ...step }) =>
    `Takedown sent${formatBy(step)}${sinceReport}${describeHolder(holder, step.by)}`,
  down: ({ sinceReport, ...step }) => `Taken down${sinceReport}${formatReportedBy(step)}`,
  'false-positive': (step) => `False positive${formatReportedBy(step)}`,
}

function describeHolder(holder: CasePerson | undefined, by: CasePerson | undefined): string {
  if (!holder) return ', unassigned'
  return by?.userId === holder.userId || !holder.name ? '' : `, ${personName(holder)} has it`
}

/** The step that gave the case to its current holder. */
function findHolderStep({ steps }: Pick<ThreatCase, 'steps'>): CaseStep | undefined {
  const stepsSinceRelease = steps.slice(steps.findLastIndex(({ kind }) => kind === 'release') + 1)
  // A step in an unassigned case makes the person its holder.
  const holderSteps = stepsSinceRelease.filter(({ kind, by }) => by && STATE_AFTER_STEP[kind])
  return holderSteps.findLast(({ kind }) => STATE_AFTER_STEP[kind] === 'taken') ?? holderSteps[0]
}

/** The step that led to the state. */
function findStateStep(threatCase: ThreatCase): CaseStep | undefined {
  const { state, steps } = threatCase
  if (state === 'taken') return findHolderStep(threatCase)
  if (state === 'open') return steps.findLast(({ kind }) => kind === 'release')
  return steps.findLast(({ kind }) => STATE_AFTER_STEP[kind] === state)
}

/** Describes a case's state: `Taken by Ann 12 min after the report`. Avoids “ago”, so that it stays true on a card that isn't updated. */
export function describeCaseState(threatCase: ThreatCase): string {
  const { state, holder } = threatCase
  const step = findStateStep(threatCase)
  const sinceReport = step ? formatSinceReport(step.at, reportedAt(threatCase)) : ''
  return CASE_STATE_TEXTS[state]({ holder, by: step?.by, sinceReport: sinceReport && ` ${sinceReport}` })
}

/** The line above the facts if the page is down. Undefined in other states. */
export const downNotice = (threatCase: ThreatCase): string | undefined =>
  threatCase.state === 'down' ? `🟢 ${describeCaseState(threatCase)}` : undefined

/** How long after the report something happened. Empty if the event has no date, or a later one. */
const formatSinceReport = (at: Date, reported: Date | undefined): string =>
  reported && reported <= at ? `${formatDuration(at.getTime() - reported.getTime())} after the report` : ''

/** Describes a step and the time since the previous one: `Takedown sent, says Ben · 1 h 5 min later`. */
export function formatStep(threatCase: ThreatCase, step: CaseStep): string {
  // A long history has gaps, across which “later” would be wrong.
  const before = threatCase.steps.find(({ version }) => version === step.version - 1)
  const after =
    step.version === 1
      ? formatSinceReport(step.at, reportedAt(threatCase))
      : before && formatLater(step.at.getTime() - before.at.getTime())
  return [describeStep(step), after].filter(Boolean).join(' · ')
}

const formatLater = (ms: number): string => (ms < 1000 ? 'moments later' : `${formatDuration(ms)} later`)

function describeStep(step: CaseStep): string {
  const { kind, previousHolder, newHolder, noteText } = step
  if (kind === 'note' && noteText === undefined) return `Note${formatReportedBy(step)}${formatTyped(step)}`
  if (kind === 'note') return `${safeLine(noteText ?? '', MAX_NOTE_LENGTH)}${formatBy(step)}`
  if (kind !== 'hand-over') return STEPS[kind].threadLine(step)
  const fromText =
    previousHolder && previousHolder !== step.by?.name
      ? ` from ${safeLine(previousHolder, MAX_NAME_LENGTH)}`
      : ''
  return `Handed over${fromText}${newHolder?.name ? ` to ${personName(newHolder)}` : ''}${formatBy(step)}`
}

export function describeTakenStep(
  kind: PersonalStep,
  { previousHolder, typedText }: Partial<Pick<CaseStep, 'previousHolder' | 'typedText'>>,
): string {
  if (kind === 'take' && previousHolder !== undefined)
    return `You took this case over from ${safeLine(previousHolder, MAX_NAME_LENGTH)}.`
  if (kind === 'takedown-sent' && !typedText)
    return `${STEPS[kind].answer} You can add to whom it went, or a ticket number, as a note.`
  return STEPS[kind].answer
}

const NO_CARD_TEXTS = {
  private: 'This case isn’t posted in a channel yet. Share the card, and each step is posted in its thread.',
  'not-in-channel':
    'This case isn’t posted in any channel, because Signalman isn’t in this channel. Invite it with /invite, then share the card.',
  archived:
    'This case isn’t posted in any channel, because this channel is archived. Share the card in another channel, and each step is posted in its thread.',
  'read-only':
    'This case isn’t posted in any channel, because Signalman can’t post in this channel. Share the card in another channel, and each step is posted in its thread.',
  'shared-outside':
    'This case isn’t posted in any channel, because this channel is shared with another organization and no admin has allowed threat events in it.',
  'unknown-channel':
    'This case isn’t posted in any channel, because Slack didn’t say who can read this channel. Share the card, and each step is posted in its thread.',
} as const

/** Why no card can be posted where someone took a step. */
export type NoCardReason = keyof typeof NO_CARD_TEXTS

/** Tells the person who took a step where others can see it. */
export function describeCardLocation(
  threatCase: ThreatCase | undefined,
  noCardReason: NoCardReason | undefined,
): string {
  if (!threatCase?.card) return NO_CARD_TEXTS[noCardReason ?? 'private']
  return threatCase.card.messageTs === undefined
    ? `Signalman is posting the card in the channel${threatCase.card.isFull ? '' : ', without the screenshot and names'}. Each step goes to its thread.`
    : `Signalman is updating the card in the channel, and posting your step in its thread${threatCase.card.isFull ? '' : ', without your name'}.`
}

/** Includes the version that the person saw, so that they can't take over the case from a newer holder. */
export const takeOverLine = (eventId: string, version: number): string =>
  `/threat take ${eventId} --over ${version}`

/** Asks whether to take over someone else's case. */
export function askToTakeOver(
  threatCase: ThreatCase,
  now: Date,
): { message: string; suggestion: SuggestedCommand } {
  const { holder, version, eventId, environment } = threatCase
  const since = findHolderStep(threatCase)?.at
  const ago = since ? ` for ${formatDuration(now.getTime() - since.getTime())}` : ''
  return {
    message: `${holder ? personName(holder) : 'Someone'} has had this case${ago}. Nothing was changed. Do you want to take it over?${threatCase.card ? ' If you do, Signalman posts that in the thread of its card.' : ''}`,
    suggestion: { label: 'Take over', line: `${takeOverLine(eventId, version)} --env ${environment}` },
  }
}

/** Says why the step isn't possible: the case's state, who set it, and when. */
export function describeRefusal(
  threatCase: ThreatCase,
  kind: PersonalStep,
  userId: string,
  now: Date,
): string {
  if (kind === 'take' && threatCase.holder?.userId === userId) return 'You already have this case.'
  if (kind === 'release' && threatCase.holder && threatCase.holder.userId !== userId)
    return `You don’t have this case. ${describeCaseState(threatCase)}.`
  const step = findStateStep(threatCase)
  const ago = step ? ` (${formatDuration(now.getTime() - step.at.getTime())} ago)` : ''
  return `This case can’t be ${STEPS[kind].refused} now. ${describeCaseState(threatCase)}${ago}.`
}
