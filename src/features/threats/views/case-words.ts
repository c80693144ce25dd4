import { formatDuration, type SuggestedCommand } from '@signalman/runtime'
import { reportedAt } from '../rules/about-case.ts'
import type { CasePerson, CaseState, CaseStep, CaseStepKind, PersonalStep } from '../rules/case-steps.ts'
import { safeLine } from '../rules/defang.ts'
import type { ThreatCase } from '../rules/threat-case.ts'

/** The filter word of each state. */
export const STATE_NAMES: Readonly<Record<CaseState, string>> = {
  open: 'open',
  taken: 'taken',
  'takedown-sent': 'takedown sent',
  down: 'taken down',
  'false-positive': 'false positive',
}

const NAME = 60
const MAX_NOTE = 500

const personName = ({ name }: CasePerson): string => safeLine(name, NAME)
const formatAuthor = ({ by }: { by: CasePerson | undefined }): string =>
  by?.name ? `, says ${personName(by)}` : ''
const by = (step: { by: CasePerson | undefined }): string =>
  step.by?.name ? ` by ${personName(step.by)}` : ''

/** The case for channels, without names, because guests may read them. */
export function withoutNames(found: ThreatCase): ThreatCase {
  const unnamed = <P extends CasePerson | undefined>(person: P): P => person && { ...person, name: '' }
  return {
    ...found,
    holder: unnamed(found.holder),
    steps: found.steps.map((step) => ({
      ...step,
      by: unnamed(step.by),
      ...(step.from !== undefined && { from: '' }),
      ...(step.to !== undefined && { to: unnamed(step.to) }),
    })),
  }
}

interface StepWords {
  /** What the verb does, for the help. */
  does: string
  button: string
  /** The answer for the person who took it. */
  done: string
  /** `This case cannot be …` */
  cannot: string
  /** The line in the thread. */
  told(step: CaseStep): string
}

/** The steps that people take, in the order of their buttons: those that advance the case first, then those that end it. */
export const STEPS: Readonly<Record<PersonalStep, StepWords>> = {
  take: {
    does: 'Take a threat event, so that everyone sees you’re working on it',
    button: 'Take',
    done: 'This case is yours now.',
    cannot: 'taken',
    told: (step) =>
      step.from === undefined
        ? `Taken${by(step)}`
        : `Taken over${by(step)}${step.from ? ` from ${safeLine(step.from, NAME)}` : ''}`,
  },
  'takedown-sent': {
    does: 'Record that the takedown request was sent',
    button: 'Takedown sent',
    done: 'Recorded that the takedown request was sent.',
    cannot: 'marked as sent',
    told: (step) => `Takedown sent${formatAuthor(step)}`,
  },
  down: {
    does: 'Record that a page is down, and close the case',
    button: 'It’s down',
    done: 'Recorded as down. The case is closed.',
    cannot: 'marked as down',
    told: (step) => `Taken down${formatAuthor(step)}`,
  },
  up: {
    does: 'Record that a page is still up, although the health check can’t reach it',
    button: 'Still up',
    done: 'Recorded as still up. The case stays open, and Signalman asks again the next time the health check can’t reach the page.',
    cannot: 'marked as up',
    told: (step) => `Still up${formatAuthor(step)}`,
  },
  'false-positive': {
    does: 'Mark a threat event as a false positive, and close the case',
    button: 'False positive',
    done: 'Marked as a false positive. The case is closed.',
    cannot: 'marked as a false positive',
    told: (step) => `False positive${formatAuthor(step)}`,
  },
  release: {
    does: 'Give up a case, so that someone else can take it',
    button: 'Give back',
    done: 'You gave this case back. It’s unassigned.',
    cannot: 'given back',
    told: (step) => `Given back${by(step)}`,
  },
  reopen: {
    does: 'Reopen a closed case and take it',
    button: 'Reopen',
    done: 'The case is open again and yours.',
    cannot: 'reopened',
    told: (step) => `Reopened${by(step)}`,
  },
}

const LEADS_TO: Readonly<Partial<Record<CaseStepKind, CaseState>>> = {
  take: 'taken',
  'hand-over': 'taken',
  reopen: 'taken',
  'takedown-sent': 'takedown-sent',
  down: 'down',
  'false-positive': 'false-positive',
}

interface StateFacts {
  holder: CasePerson | undefined
  /** Who took the step that led to the state. */
  by: CasePerson | undefined
  at: string
}

const CASE_STATE_WORDS: Readonly<Record<CaseState, (facts: StateFacts) => string>> = {
  open: () => 'Open, unassigned',
  taken: ({ holder, at }) => `Taken${by({ by: holder })}${at}`,
  'takedown-sent': ({ holder, at, ...step }) =>
    `Takedown sent${by(step)}${at}${holderWords(holder, step.by)}`,
  down: ({ at, ...step }) => `Taken down${at}${formatAuthor(step)}`,
  'false-positive': (step) => `False positive${formatAuthor(step)}`,
}

function holderWords(holder: CasePerson | undefined, by: CasePerson | undefined): string {
  if (!holder) return ', unassigned'
  return by?.userId === holder.userId || !holder.name ? '' : `, ${personName(holder)} has it`
}

/** The step that gave the case to its current holder. */
function findHolderStep({ steps }: Pick<ThreatCase, 'steps'>): CaseStep | undefined {
  const since = steps.slice(steps.findLastIndex(({ kind }) => kind === 'release') + 1)
  const own = since.filter(({ kind, by }) => by && LEADS_TO[kind])
  return own.findLast(({ kind }) => LEADS_TO[kind] === 'taken') ?? own[0]
}

/**
 * `Taken by Ann 12 min after the report`. Uses no relative words such as “ago”, so it stays true on a card that isn't redrawn.
 */
export function caseStateWords(found: ThreatCase): string {
  const { state, holder, steps } = found
  const step =
    state === 'taken' ? findHolderStep(found) : steps.findLast(({ kind }) => LEADS_TO[kind] === state)
  const at = step ? formatSinceReport(step.at, reportedAt(found)) : ''
  return CASE_STATE_WORDS[state]({ holder, by: step?.by, at: at && ` ${at}` })
}

/** Shown above the facts: that the page is down. Undefined in any other state. */
export const caseNews = (found: ThreatCase): string | undefined =>
  found.state === 'down' ? `🟢 ${caseStateWords(found)}` : undefined

/** The time since the report, which is what responders measure; empty if there was no report before. */
const formatSinceReport = (at: Date, reported: Date | undefined): string =>
  reported && reported <= at ? `${formatDuration(at.getTime() - reported.getTime())} after the report` : ''

/** Describes a step and the time since the previous one: `Takedown sent, says Ben · 1 h 5 min later`. */
export function stepWords(found: ThreatCase, step: CaseStep): string {
  const before = found.steps.findLast(({ version }) => version < step.version)
  const after =
    before === undefined || step.version === 1
      ? formatSinceReport(step.at, reportedAt(found))
      : `${formatDuration(step.at.getTime() - before.at.getTime())} later`
  return [describeStep(step), after].filter(Boolean).join(' · ')
}

function describeStep(step: CaseStep): string {
  const { kind, from, to, says: text = '' } = step
  if (kind === 'note') return `${safeLine(text, MAX_NOTE)}${by(step)}`
  if (kind !== 'hand-over') return STEPS[kind].told(step)
  const former = from && from !== step.by?.name ? ` from ${safeLine(from, NAME)}` : ''
  return `Handed over${former}${to?.name ? ` to ${personName(to)}` : ''}${by(step)}`
}

export const steppedWords = (kind: PersonalStep, from: string | undefined): string =>
  kind === 'take' && from !== undefined
    ? `You took this case over from ${safeLine(from, NAME)}.`
    : STEPS[kind].done

const NO_PLACE_TEXT = {
  alone: 'This case isn’t posted in a channel yet. Share the card, and each step is posted in its thread.',
  'not-in-channel':
    'This case isn’t posted in a channel, because Signalman isn’t in this one. Invite it with /invite, then share the card.',
  'shared-outside':
    'This case isn’t posted in a channel, because this one is shared with another organization and no admin has allowed threat events in it.',
  unasked:
    'This case isn’t posted in a channel, because Slack didn’t say who can read this one. Share the card, and each step is posted in its thread.',
} as const

/** Why no card can be posted in the place where someone took a step. */
export type NoPlace = keyof typeof NO_PLACE_TEXT

/** Says where others will read about the step. */
export function placeWords(found: ThreatCase | undefined, why: NoPlace | undefined): string {
  if (!found?.place) return NO_PLACE_TEXT[why ?? 'alone']
  return found.place.messageTs === undefined
    ? `The card is posted in the channel${found.place.isFull ? '' : ', without the screenshot and names'}. Each step is posted in its thread.`
    : `The card in the channel is updated, and your step is posted in its thread${found.place.isFull ? '' : ', without your name'}.`
}

/** Carries the version that was shown, so that nobody takes the case from a holder they didn't see. */
export const takeOverLine = (eventId: string, version: number): string =>
  `/threat take ${eventId} --over ${version}`

/** Asks whether to take over someone else's case. */
export function takeOverQuestion(found: ThreatCase, now: Date): { says: string; offer: SuggestedCommand } {
  const { holder, version, eventId, environment } = found
  const since = findHolderStep(found)?.at
  const ago = since ? ` for ${formatDuration(now.getTime() - since.getTime())}` : ''
  return {
    says: `${holder ? personName(holder) : 'Somebody'} has had this case${ago}. Nothing was changed. Do you want to take it over?${found.place ? ' This is posted in the thread of its card.' : ''}`,
    offer: { label: 'Take over', line: `${takeOverLine(eventId, version)} --env ${environment}` },
  }
}

/** Says why the step isn't possible: the case's state, who set it, and when. */
export function refusedWords(found: ThreatCase, kind: PersonalStep, userId: string, now: Date): string {
  if (kind === 'take' && found.holder?.userId === userId) return 'You already have this case.'
  if (kind === 'release' && found.holder && found.holder.userId !== userId)
    return `You don’t have this case. ${caseStateWords(found)}.`
  const last = found.steps.at(-1)
  const ago = last ? ` (${formatDuration(now.getTime() - last.at.getTime())} ago)` : ''
  return `This case can’t be ${STEPS[kind].cannot} now. ${caseStateWords(found)}${ago}.`
}
