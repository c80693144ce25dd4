import { durationWords, type SuggestedCommand } from '@signalman/runtime'
import { utc } from '@signalman/slack'
import { safeLine } from '../../defang.ts'
import type { ThreatCase } from '../../rows/case-rows.ts'
import { reportedAt } from '../about-case.ts'
import type { CasePerson, CaseState, CaseStep, CaseStepKind } from '../case-steps.ts'
import type { Placing } from '../take-step.ts'
import { type PersonalStep, takeOverLine } from './case.ts'

export const STATE_NAMES: Readonly<Record<CaseState, string>> = {
  open: 'open',
  taken: 'taken',
  'takedown-sent': 'takedown sent',
  down: 'down',
  'false-positive': 'false positive',
}

const NAME = 60
const SAID = 500

export const nameOf = ({ name }: CasePerson): string => safeLine(name, NAME)

/** `Taken by Ann 12 min after the report`: has no words such as "ago", so it stays true on a card that is not redrawn. */
export function caseStateWords(found: ThreatCase): string {
  const { state, holder, steps } = found
  const step = steps.findLast(({ kind }) => LEADS_TO[kind] === state)
  const at = step ? ` ${timed(step.at, reportedAt(found))}` : ''
  return CASE_STATE_WORDS[state]({ holder, by: step?.by, at })
}

interface StateFacts {
  holder: CasePerson | undefined
  /** Who took the step that led to the state. */
  by: CasePerson | undefined
  at: string
}

const CASE_STATE_WORDS: Readonly<Record<CaseState, (facts: StateFacts) => string>> = {
  open: () => 'Open: nobody has it',
  taken: ({ holder, at }) => `Taken by ${holder ? nameOf(holder) : 'somebody'}${at}`,
  'takedown-sent': ({ holder, by, at }) =>
    `Takedown sent${by ? ` by ${nameOf(by)}` : ''}${at}${whose(holder, by)}`,
  down: ({ by, at }) => `Down${at}${by ? `, says ${nameOf(by)}` : ''}`,
  'false-positive': ({ by }) => `False positive${by ? `, says ${nameOf(by)}` : ''}`,
}

function whose(holder: CasePerson | undefined, by: CasePerson | undefined): string {
  if (!holder) return ', nobody has it'
  return by?.userId === holder.userId ? '' : `, ${nameOf(holder)} has it`
}

const LEADS_TO: Readonly<Partial<Record<CaseStepKind, CaseState>>> = {
  take: 'taken',
  reopen: 'taken',
  'takedown-sent': 'takedown-sent',
  down: 'down',
  'false-positive': 'false-positive',
}

/** How long after the report, which is what a responder measures; a date when there was no report before. */
const timed = (at: Date, reported: Date | undefined): string =>
  reported && reported <= at
    ? `${durationWords(at.getTime() - reported.getTime())} after the report`
    : `at ${utc(at)}`

/** What happened in one step, and how long after the one before it: `Takedown sent, says Ben · 1 h 5 min later`. */
export function stepWords(found: ThreatCase, step: CaseStep): string {
  const before = found.steps.findLast(({ version }) => version < step.version)
  const after =
    before === undefined || step.version === 1
      ? timed(step.at, reportedAt(found))
      : `${durationWords(step.at.getTime() - before.at.getTime())} later`
  return `${WORDS[step.kind](step)} · ${after}`
}

const says = ({ by }: CaseStep): string => (by ? `, says ${nameOf(by)}` : '')
const by = (step: CaseStep): string => (step.by ? ` by ${nameOf(step.by)}` : '')

const WORDS: Readonly<Record<CaseStepKind, (step: CaseStep) => string>> = {
  take: (step) =>
    step.from === undefined ? `Taken${by(step)}` : `Taken over${by(step)} from ${safeLine(step.from, NAME)}`,
  release: (step) => `Given back${by(step)}: nobody has it`,
  'takedown-sent': (step) => `Takedown sent${says(step)}`,
  down: (step) => (step.by ? `Down${says(step)}` : safeLine(step.says ?? 'Down', SAID)),
  'false-positive': (step) => `False positive${says(step)}`,
  reopen: (step) =>
    step.by ? `Opened again${by(step)}` : `${safeLine(step.says ?? 'Back', SAID)}: opened again`,
  note: (step) => `${safeLine(step.says ?? '', SAID)}${by(step)}`,
}

const DONE: Readonly<Record<PersonalStep, string>> = {
  take: 'You have this case now.',
  'takedown-sent': 'Noted: the takedown was sent.',
  down: 'Noted: it is down. The case is closed.',
  'false-positive': 'Noted: a false positive. The case is closed.',
  release: 'You gave this case back: nobody has it.',
  reopen: 'The case is open again, and yours.',
}

export const steppedWords = (kind: PersonalStep, from: string | undefined): string =>
  kind === 'take' && from !== undefined
    ? `You have this case now, taken over from ${safeLine(from, 60)}.`
    : DONE[kind]

const NOWHERE: Readonly<Record<Extract<Placing, { why: string }>['why'], string>> = {
  alone:
    'No channel is told of it here: share the card in one, and its thread tells of each step from then on.',
  'not-in-channel':
    'No channel is told of it: Signalman is not in this one. Invite it with /invite, then share the card.',
  'shared-outside':
    'No channel is told of it: this one is shared with another organization, and an admin has not allowed threat events in it.',
  unasked:
    'No channel is told of it: Slack could not be asked about this one. Share the card, and its thread tells of each step from then on.',
}

/** Says where others will read of the step. */
export function placeWords(found: ThreatCase | undefined, placing: Placing | undefined): string {
  if (!found?.place) return placing && 'why' in placing ? NOWHERE[placing.why] : NOWHERE.alone
  return found.place.messageTs === undefined
    ? 'The card is posted to the channel, and its thread tells of each step.'
    : 'The card in the channel is brought up to date, and its thread is told.'
}

/** Asks whether to take over a case that somebody else has. */
export function heldQuestion(found: ThreatCase, now: Date): { says: string; offer: SuggestedCommand } {
  const { holder, version, eventId, environment } = found
  const name = holder ? nameOf(holder) : 'Somebody'
  const since = found.steps.findLast(({ kind }) => kind === 'take' || kind === 'reopen')?.at
  const ago = since ? ` for ${durationWords(now.getTime() - since.getTime())}` : ''
  return {
    says: `${name} has had this case${ago}. Nothing was changed. Take it over? The thread of its card says so.`,
    offer: { label: 'Take over', line: `${takeOverLine(eventId, version)} --env ${environment}` },
  }
}

const WHAT: Readonly<Record<PersonalStep, string>> = {
  take: 'taken',
  'takedown-sent': 'marked as sent',
  down: 'marked as down',
  'false-positive': 'marked as a false positive',
  release: 'given back',
  reopen: 'opened again',
}

/** Says why the case cannot take this step: its state, who set it, and when. */
export function refusedWords(found: ThreatCase, kind: PersonalStep, userId: string, now: Date): string {
  if (kind === 'take' && found.holder?.userId === userId) return 'You have this case already.'
  if (kind === 'release' && found.holder && found.holder.userId !== userId)
    return `You do not have this case: ${caseStateWords(found)}.`
  const last = found.steps.at(-1)
  const ago = last ? ` (${durationWords(now.getTime() - last.at.getTime())} ago)` : ''
  return `This case cannot be ${WHAT[kind]} from where it is: ${caseStateWords(found)}${ago}.`
}
