import { durationWords } from '@signalman/runtime'
import { utc } from '@signalman/slack'
import { safeLine } from '../../defang.ts'
import type { ThreatCase } from '../../rows/case-rows.ts'
import { reportedAt } from '../about-case.ts'
import type { CasePerson, CaseState, CaseStep, CaseStepKind } from '../case-steps.ts'

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
