/** Every state of a threat event's case. An event that nobody has acted on has no case. */
export const CASE_STATES = ['open', 'taken', 'takedown-sent', 'down', 'false-positive'] as const
export type CaseState = (typeof CASE_STATES)[number]

const OPEN_STATES = ['open', 'taken', 'takedown-sent'] as const satisfies readonly CaseState[]

/** The steps that don't change the state: a note, and recording that the page is still up. */
const createSelfTransitions = <const S extends CaseState>(state: S) =>
  ({ note: [state], up: [state] }) as const

const CLOSING_STEPS = { 'false-positive': ['false-positive'], down: ['down'] } as const

/**
 * The state machine: state → step → the possible next states. The database refuses any other change.
 */
const CASE_TRANSITIONS = {
  open: {
    take: ['taken'],
    'takedown-sent': ['takedown-sent'],
    ...CLOSING_STEPS,
    ...createSelfTransitions('open'),
  },
  taken: {
    take: ['taken'],
    'hand-over': ['taken'],
    release: ['open'],
    'takedown-sent': ['takedown-sent'],
    ...CLOSING_STEPS,
    ...createSelfTransitions('taken'),
  },
  'takedown-sent': {
    take: ['takedown-sent'],
    'hand-over': ['takedown-sent'],
    release: ['takedown-sent'],
    ...CLOSING_STEPS,
    ...createSelfTransitions('takedown-sent'),
  },
  down: { reopen: ['taken'], note: ['down'] },
  'false-positive': { reopen: ['taken'], note: ['false-positive'] },
} as const satisfies Record<CaseState, Readonly<Record<string, readonly CaseState[]>>>

type Transitions = typeof CASE_TRANSITIONS
export type CaseStepKind = { [From in CaseState]: keyof Transitions[From] }[CaseState]
/** The steps that people take with the `/threat` verb of the same name. */
export type PersonalStep = Exclude<CaseStepKind, 'note' | 'hand-over'>

/** The steps that can start a case. */
const FIRST_STEPS = [
  'take',
  'takedown-sent',
  'false-positive',
  'down',
] as const satisfies readonly CaseStepKind[]

/**
 * A person with their display name at the time. It's shown instead of a mention, because a mention would notify them.
 */
export interface CasePerson {
  readonly userId: string
  readonly name: string
}

/** One step of a case. */
export interface CaseStep {
  /** The case's version after the step, from 1. */
  readonly version: number
  readonly kind: CaseStepKind
  /** The person who took it; undefined for an automatic step. */
  readonly by: CasePerson | undefined
  readonly at: Date
  /** The name of the previous holder, if the case was taken over or handed over. */
  readonly previousHolder?: string | undefined
  /** The new holder, if the case was handed over. */
  readonly newHolder?: CasePerson | undefined
  /** The text of a note, safe to show. */
  readonly noteText?: string | undefined
  /** What the person typed: a note, or to whom a takedown request went. Not safe to show, and not for channels. */
  readonly typedText?: string | undefined
  /** Identifies the interaction, so that a repeated run doesn't take the step twice. */
  readonly reference: string
}

/** The part of a case that its next step depends on. */
export interface CaseStatus {
  readonly state: CaseState
  readonly holder: CasePerson | undefined
}

export const isOpen = ({ state }: Pick<CaseStatus, 'state'>): boolean =>
  OPEN_STATES.some((openState) => openState === state)

export const isFalsePositive = ({ state }: Pick<CaseStatus, 'state'>): boolean => state === 'false-positive'

/** The steps that are possible in a state. Without a state, the steps that can start a case. */
export const listPossibleSteps = (state: CaseState | undefined): readonly CaseStepKind[] =>
  // Cast, because the table's keys are the steps.
  state === undefined ? FIRST_STEPS : (Object.keys(CASE_TRANSITIONS[state]) as CaseStepKind[])

/**
 * The status after a step; undefined if the step isn't possible. Taking someone else's case is possible: the caller asks for
 * confirmation.
 */
export function statusAfterStep(
  status: CaseStatus | undefined,
  kind: CaseStepKind,
  by: CasePerson | undefined,
  newHolder?: CasePerson | undefined,
): CaseStatus | undefined {
  if (!listPossibleSteps(status?.state).includes(kind)) return undefined
  return STEP_EFFECTS[kind](status ?? { state: 'open', holder: undefined }, by, newHolder)
}

type StepEffect = (
  status: CaseStatus,
  by: CasePerson | undefined,
  newHolder: CasePerson | undefined,
) => CaseStatus | undefined

/** The effect of a step that leads to this state. If the case has no holder, the person who takes the step becomes its holder. */
const stepsLeadingTo =
  (state: CaseState): StepEffect =>
  ({ holder }, by) => ({ state, holder: holder ?? by })

const STEP_EFFECTS: Readonly<Record<CaseStepKind, StepEffect>> = {
  take({ state, holder }, by) {
    if (!by || holder?.userId === by.userId) return undefined
    return { state: state === 'takedown-sent' ? state : 'taken', holder: by }
  },
  'hand-over': ({ state, holder }, _, newHolder) =>
    newHolder && holder && holder.userId !== newHolder.userId ? { state, holder: newHolder } : undefined,
  // After a takeover, an old button must not release the new holder's case.
  release({ state, holder }, by) {
    if (!holder || holder.userId !== by?.userId) return undefined
    return { state: state === 'takedown-sent' ? state : 'open', holder: undefined }
  },
  reopen: (_, by) => by && { state: 'taken', holder: by },
  note: (status) => status,
  up: (status) => status,
  'takedown-sent': stepsLeadingTo('takedown-sent'),
  down: stepsLeadingTo('down'),
  'false-positive': stepsLeadingTo('false-positive'),
}

/** Each state, paired with each of its possible next states. */
export const caseTransitions: readonly (readonly [from: CaseState, to: CaseState])[] = CASE_STATES.flatMap(
  (from) =>
    [...new Set(Object.values<readonly CaseState[]>(CASE_TRANSITIONS[from]).flat())].map(
      (to) => [from, to] as const,
    ),
)
