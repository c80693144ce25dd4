import { durationWords, type SuggestedCommand } from '@signalman/runtime'
import { safeLine } from '../../defang.ts'
import type { ThreatCase } from '../../rows/case-rows.ts'
import { reportedAt } from '../about-case.ts'
import {
  asksToLook,
  type CasePerson,
  type CaseState,
  type CaseStep,
  type CaseStepKind,
  type PersonalStep,
} from '../case-steps.ts'

/** Each state as a filter names it. */
export const STATE_NAMES: Readonly<Record<CaseState, string>> = {
  open: 'open',
  taken: 'taken',
  'takedown-sent': 'takedown sent',
  down: 'taken down',
  'false-positive': 'false positive',
}

const NAME = 60
const SAID = 500

const personName = ({ name }: CasePerson): string => safeLine(name, NAME)
const says = ({ by }: { by: CasePerson | undefined }): string => (by ? `, says ${personName(by)}` : '')
const by = (step: { by: CasePerson | undefined }): string => (step.by ? ` by ${personName(step.by)}` : '')

interface StepWords {
  /** What the verb does, for the help. */
  does: string
  button: string
  /** For who took it. */
  done: string
  /** `This case cannot be …` */
  cannot: string
  /** For the thread. */
  told(step: CaseStep): string
}

/** Each step that people take, in the order of its buttons: first what carries the case on, then what ends it. */
export const STEPS: Readonly<Record<PersonalStep, StepWords>> = {
  take: {
    does: 'Take a threat event: whoever looks it up sees that you have it',
    button: 'Take',
    done: 'You have this case now.',
    cannot: 'taken',
    told: (step) =>
      step.from === undefined
        ? `Taken${by(step)}`
        : `Taken over${by(step)} from ${safeLine(step.from, NAME)}`,
  },
  'takedown-sent': {
    does: 'Say that the takedown of a threat event was sent',
    button: 'Takedown sent',
    done: 'Noted: the takedown was sent.',
    cannot: 'marked as sent',
    told: (step) => `Takedown sent${says(step)}`,
  },
  down: {
    does: 'Say that a threat event is down; this closes its case',
    button: 'It is down',
    done: 'Noted: it is down. The case is closed.',
    cannot: 'marked as down',
    told: (step) => (step.by ? `Taken down${says(step)}` : safeLine(step.says ?? 'Taken down', SAID)),
  },
  up: {
    does: 'Say that a threat event is still up, where Signalman cannot reach it',
    button: 'It is up',
    done: 'Noted: it is still up. The case stays open.',
    cannot: 'marked as up',
    told: (step) => (step.by ? `Still up${says(step)}` : safeLine(step.says ?? 'Up', SAID)),
  },
  'false-positive': {
    does: 'Say that a threat event is a false positive; this closes its case',
    button: 'False positive',
    done: 'Noted: a false positive. The case is closed.',
    cannot: 'marked as a false positive',
    told: (step) => `False positive${says(step)}`,
  },
  release: {
    does: 'Give a case back: nobody has it then',
    button: 'Give back',
    done: 'You gave this case back: nobody has it.',
    cannot: 'given back',
    told: (step) => `Given back${by(step)}: nobody has it`,
  },
  reopen: {
    does: 'Open a closed case again, as yours',
    button: 'Open again',
    done: 'The case is open again, and yours.',
    cannot: 'opened again',
    told: (step) =>
      step.by ? `Opened again${by(step)}` : `${safeLine(step.says ?? 'Back', SAID)}: opened again`,
  },
}

const LEADS_TO: Readonly<Partial<Record<CaseStepKind, CaseState>>> = {
  take: 'taken',
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
  open: () => 'Open: nobody has it',
  taken: ({ holder, at }) => `Taken by ${holder ? personName(holder) : 'somebody'}${at}`,
  'takedown-sent': ({ holder, at, ...step }) =>
    `Takedown sent${by(step)}${at}${holderWords(holder, step.by)}`,
  down: ({ at, ...step }) => `Taken down${at}${says(step)}`,
  'false-positive': (step) => `False positive${says(step)}`,
}

function holderWords(holder: CasePerson | undefined, by: CasePerson | undefined): string {
  if (!holder) return ', nobody has it'
  return by?.userId === holder.userId ? '' : `, ${personName(holder)} has it`
}

/** The step by which a case came to whoever has it. */
function heldBy({ steps }: Pick<ThreatCase, 'steps'>): CaseStep | undefined {
  const since = steps.slice(steps.findLastIndex(({ kind }) => kind === 'release') + 1)
  const own = since.filter(({ kind, by }) => by && LEADS_TO[kind])
  return own.findLast(({ kind }) => LEADS_TO[kind] === 'taken') ?? own[0]
}

/** `Taken by Ann 12 min after the report`: has no words such as "ago", so it stays true on a card that is not redrawn. */
export function caseStateWords(found: ThreatCase): string {
  const { state, holder, steps } = found
  // A watch that opens a case again leaves it with whoever has it.
  const step = state === 'taken' ? heldBy(found) : steps.findLast(({ kind }) => LEADS_TO[kind] === state)
  const at = step ? timed(step.at, reportedAt(found)) : ''
  return CASE_STATE_WORDS[state]({ holder, by: step?.by, at: at && ` ${at}` })
}

export const UNREACHABLE = 'Not reachable from here since the watch began: look yourself'

/** What stands above all facts of the event: that it is gone, or that a person has to look. Undefined for any other case. */
export function caseNews(found: ThreatCase): string | undefined {
  if (asksToLook(found)) return `⚪ ${UNREACHABLE}`
  return found.state === 'down' ? `🟢 ${caseStateWords(found)}` : undefined
}

/** What a person answers who has looked. */
export const lookOffers = (eventId: string): SuggestedCommand[] => [
  { label: STEPS.down.button, line: `/threat down ${eventId}` },
  { label: STEPS.up.button, line: `/threat up ${eventId}` },
]

/** How long after the report, which is what a responder measures; nothing when there was no report before. */
const timed = (at: Date, reported: Date | undefined): string =>
  reported && reported <= at ? `${durationWords(at.getTime() - reported.getTime())} after the report` : ''

/** What happened in one step, and how long after the one before it: `Takedown sent, says Ben · 1 h 5 min later`. */
export function stepWords(found: ThreatCase, step: CaseStep): string {
  const before = found.steps.findLast(({ version }) => version < step.version)
  const after =
    before === undefined || step.version === 1
      ? timed(step.at, reportedAt(found))
      : `${durationWords(step.at.getTime() - before.at.getTime())} later`
  const { kind } = step
  const told =
    kind === 'note' || kind === 'unreachable'
      ? `${safeLine(step.says ?? '', SAID)}${by(step)}`
      : STEPS[kind].told(step)
  return [told, after].filter(Boolean).join(' · ')
}

export const steppedWords = (kind: PersonalStep, from: string | undefined): string =>
  kind === 'take' && from !== undefined
    ? `You have this case now, taken over from ${safeLine(from, NAME)}.`
    : STEPS[kind].done

const NOWHERE = {
  alone: 'No channel follows this case yet. Share the card in one, and its thread follows each step.',
  'not-in-channel':
    'No channel follows this case: Signalman is not in this one. Invite it with /invite, then share the card.',
  'shared-outside':
    'No channel follows this case: this one is shared with another organization, and no admin has allowed threat events in it.',
  unasked:
    'No channel follows this case: Slack did not say who can read this one. Share the card, and its thread follows each step.',
} as const

/** Why no card can be posted where somebody took a step. */
export type NoPlace = keyof typeof NOWHERE

/** Says where others will read of the step. */
export function placeWords(found: ThreatCase | undefined, why: NoPlace | undefined): string {
  if (!found?.place) return NOWHERE[why ?? 'alone']
  return found.place.messageTs === undefined
    ? 'The card is posted in the channel; its thread follows each step.'
    : 'The card in the channel is updated, and its thread is told.'
}

/** Names the version that was shown, so that nobody takes the case from a holder whom they did not see. */
export const takeOverLine = (eventId: string, version: number): string =>
  `/threat take ${eventId} --over ${version}`

/** Asks whether to take over a case that somebody else has. */
export function heldQuestion(found: ThreatCase, now: Date): { says: string; offer: SuggestedCommand } {
  const { holder, version, eventId, environment } = found
  const since = heldBy(found)?.at
  const ago = since ? ` for ${durationWords(now.getTime() - since.getTime())}` : ''
  return {
    says: `${holder ? personName(holder) : 'Somebody'} has had this case${ago}. Nothing was changed. Take it over? The thread of its card will say so.`,
    offer: { label: 'Take over', line: `${takeOverLine(eventId, version)} --env ${environment}` },
  }
}

/** Says why the case cannot take this step: its state, who set it, and when. */
export function refusedWords(found: ThreatCase, kind: PersonalStep, userId: string, now: Date): string {
  if (kind === 'take' && found.holder?.userId === userId) return 'You have this case already.'
  if (kind === 'release' && found.holder && found.holder.userId !== userId)
    return `You do not have this case: ${caseStateWords(found)}.`
  const last = found.steps.at(-1)
  const ago = last ? ` (${durationWords(now.getTime() - last.at.getTime())} ago)` : ''
  return `This case cannot be ${STEPS[kind].cannot} now: ${caseStateWords(found)}${ago}.`
}
