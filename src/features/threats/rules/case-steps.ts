/** Every state of a threat event's case. An event that nobody has acted on has no case. */
export const CASE_STATES = ['open', 'taken', 'takedown-sent', 'down', 'false-positive'] as const
export type CaseState = (typeof CASE_STATES)[number]

/** The open states. */
const OPEN_STATES = ['open', 'taken', 'takedown-sent'] as const satisfies readonly CaseState[]

/** Steps that are posted in the thread but change nothing: a note, and that the page is still up. */
const stayingSteps = <const S extends CaseState>(state: S) => ({ note: [state], up: [state] }) as const

const CLOSING = { 'false-positive': ['false-positive'], down: ['down'] } as const

/**
 * The state machine: state → step → the possible next states. Nothing else defines it, and the database refuses anything else.
 */
const CASE_MOVES = {
  open: { take: ['taken'], 'takedown-sent': ['takedown-sent'], ...CLOSING, ...stayingSteps('open') },
  taken: {
    take: ['taken'],
    'hand-over': ['taken'],
    release: ['open'],
    'takedown-sent': ['takedown-sent'],
    ...CLOSING,
    ...stayingSteps('taken'),
  },
  'takedown-sent': {
    take: ['takedown-sent'],
    'hand-over': ['takedown-sent'],
    release: ['takedown-sent'],
    ...CLOSING,
    ...stayingSteps('takedown-sent'),
  },
  down: { reopen: ['taken'], note: ['down'] },
  'false-positive': { reopen: ['taken'], note: ['false-positive'] },
} as const satisfies Record<CaseState, Readonly<Record<string, readonly CaseState[]>>>

type Moves = typeof CASE_MOVES
export type CaseStepKind = { [From in CaseState]: keyof Moves[From] }[CaseState]
/** The steps that people take. Each has a verb of the same name. */
export type PersonalStep = Exclude<CaseStepKind, 'note' | 'hand-over'>

/** The steps that can start a case. */
const FIRST_STEPS = [
  'take',
  'takedown-sent',
  'false-positive',
  'down',
] as const satisfies readonly CaseStepKind[]

/**
 * A person with their display name at the time. It is shown instead of a mention, so that nobody is notified of their own action.
 */
export interface CasePerson {
  readonly userId: string
  readonly name: string
}

/** One thing that was done about a case. */
export interface CaseStep {
  /** From 1: the case's version after the step. */
  readonly version: number
  readonly kind: CaseStepKind
  /** Undefined for a step that Signalman took itself. */
  readonly by: CasePerson | undefined
  readonly at: Date
  /** Who had it before, if the step took it over. */
  readonly from?: string | undefined
  /** The new holder, if someone handed it over. */
  readonly to?: CasePerson | undefined
  /** The text of a note, safe to show. */
  readonly says?: string | undefined
  /** Identifies the interaction, so that its step is taken only once. */
  readonly reference: string
}

/** The part of a case that its next step depends on. */
export interface CaseStanding {
  readonly state: CaseState
  readonly holder: CasePerson | undefined
}

export const isOpen = ({ state }: Pick<CaseStanding, 'state'>): boolean =>
  OPEN_STATES.some((open) => open === state)

/** The possible steps in this state, or those that can start a case. */
export const stepsFrom = (state: CaseState | undefined): readonly CaseStepKind[] =>
  // The keys of the table are the steps.
  state === undefined ? FIRST_STEPS : (Object.keys(CASE_MOVES[state]) as CaseStepKind[])

/**
 * The case after a step; undefined if the step isn't possible. Taking over someone else's case is a step too; the caller asks for
 * confirmation.
 */
export function afterStep(
  standing: CaseStanding | undefined,
  kind: CaseStepKind,
  by: CasePerson | undefined,
  to?: CasePerson | undefined,
): CaseStanding | undefined {
  if (!stepsFrom(standing?.state).includes(kind)) return undefined
  return AFTER[kind](standing ?? { state: 'open', holder: undefined }, by, to)
}

type After = (
  standing: CaseStanding,
  by: CasePerson | undefined,
  to: CasePerson | undefined,
) => CaseStanding | undefined

/** The holder stays the same. */
const stepsLeadingTo =
  (state: CaseState): After =>
  ({ holder }, by) => ({ state, holder: holder ?? by })

const AFTER: Readonly<Record<CaseStepKind, After>> = {
  take({ state, holder }, by) {
    if (!by || holder?.userId === by.userId) return undefined
    return { state: state === 'takedown-sent' ? state : 'taken', holder: by }
  },
  'hand-over': ({ state, holder }, _, to) =>
    to && holder && holder.userId !== to.userId ? { state, holder: to } : undefined,
  // After a takeover, an old button must not release the new holder's case.
  release({ state, holder }, by) {
    if (!holder || holder.userId !== by?.userId) return undefined
    return { state: state === 'takedown-sent' ? state : 'open', holder: undefined }
  },
  reopen: (_, by) => by && { state: 'taken', holder: by },
  note: (standing) => standing,
  up: (standing) => standing,
  'takedown-sent': stepsLeadingTo('takedown-sent'),
  down: stepsLeadingTo('down'),
  'false-positive': stepsLeadingTo('false-positive'),
}

/** A state and a possible next one. */
export const caseMoves: readonly (readonly [from: CaseState, to: CaseState])[] = CASE_STATES.flatMap((from) =>
  [...new Set(Object.values<readonly CaseState[]>(CASE_MOVES[from]).flat())].map((to) => [from, to] as const),
)
