/** Every state that the case of a threat event can be in. An event that nobody has done anything about has no case. */
export const CASE_STATES = ['open', 'taken', 'takedown-sent', 'down', 'false-positive'] as const
export type CaseState = (typeof CASE_STATES)[number]

/** The states in which somebody still has to do something. */
const OPEN_STATES = ['open', 'taken', 'takedown-sent'] as const satisfies readonly CaseState[]

/** What changes nothing of the case but is posted in its thread: a note, and that the page is still up. */
const staying = <const S extends CaseState>(state: S) => ({ note: [state], up: [state] }) as const

const CLOSING = { 'false-positive': ['false-positive'], down: ['down'] } as const

/**
 * What may follow on what: state → step → the states that the step leads to. This is the only place that says so; the
 * database refuses what it does not name.
 */
const CASE_MOVES = {
  open: { take: ['taken'], 'takedown-sent': ['takedown-sent'], ...CLOSING, ...staying('open') },
  taken: {
    take: ['taken'],
    'hand-over': ['taken'],
    release: ['open'],
    'takedown-sent': ['takedown-sent'],
    ...CLOSING,
    ...staying('taken'),
  },
  'takedown-sent': {
    take: ['takedown-sent'],
    'hand-over': ['takedown-sent'],
    release: ['takedown-sent'],
    ...CLOSING,
    ...staying('takedown-sent'),
  },
  down: { reopen: ['taken'], note: ['down'] },
  'false-positive': { reopen: ['taken'], note: ['false-positive'] },
} as const satisfies Record<CaseState, Readonly<Record<string, readonly CaseState[]>>>

type Moves = typeof CASE_MOVES
export type CaseStepKind = { [From in CaseState]: keyof Moves[From] }[CaseState]
/** The steps that people take, each by the verb of its name. */
export type PersonalStep = Exclude<CaseStepKind, 'note' | 'hand-over'>

/** Steps that can be the first of a case. */
const FIRST_STEPS = [
  'take',
  'takedown-sent',
  'false-positive',
  'down',
] as const satisfies readonly CaseStepKind[]

/** Somebody, by the name that they had then: it is shown in place of a mention, so nobody is notified of what they did themselves. */
export interface CasePerson {
  readonly userId: string
  readonly name: string
}

/** One thing that was done about a case. */
export interface CaseStep {
  /** From 1; the case's version after it. */
  readonly version: number
  readonly kind: CaseStepKind
  /** Undefined for what Signalman noted by itself. */
  readonly by: CasePerson | undefined
  readonly at: Date
  /** Who had it before, where the step took it over. */
  readonly from?: string | undefined
  /** Who has it from now on, where somebody handed it over. */
  readonly to?: CasePerson | undefined
  /** What a note says, safe to show. */
  readonly says?: string | undefined
  /** Of the act: the same step of the same act is taken once. */
  readonly reference: string
}

/** As much of a case as its next step depends on. */
export interface CaseStanding {
  readonly state: CaseState
  readonly holder: CasePerson | undefined
}

export const isOpen = ({ state }: Pick<CaseStanding, 'state'>): boolean =>
  OPEN_STATES.some((open) => open === state)

/** The steps that the table knows in this state; for an event without a case, those that begin one. */
export const stepsFrom = (state: CaseState | undefined): readonly CaseStepKind[] =>
  // The keys of the table are the steps.
  state === undefined ? FIRST_STEPS : (Object.keys(CASE_MOVES[state]) as CaseStepKind[])

/**
 * The case after a step; undefined when the step leads nowhere from here. To take what somebody else has is a step too: whether
 * they agree with that is asked by whoever offers it.
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

/** It stays with whoever has it. */
const leadingTo =
  (state: CaseState): After =>
  ({ holder }, by) => ({ state, holder: holder ?? by })

const AFTER: Readonly<Record<CaseStepKind, After>> = {
  take({ state, holder }, by) {
    if (!by || holder?.userId === by.userId) return undefined
    return { state: state === 'takedown-sent' ? state : 'taken', holder: by }
  },
  'hand-over': ({ state, holder }, _, to) =>
    to && holder && holder.userId !== to.userId ? { state, holder: to } : undefined,
  // A button outlives a take-over: nobody gives back what somebody else has.
  release({ state, holder }, by) {
    if (!holder || holder.userId !== by?.userId) return undefined
    return { state: state === 'takedown-sent' ? state : 'open', holder: undefined }
  },
  reopen: (_, by) => by && { state: 'taken', holder: by },
  note: (standing) => standing,
  up: (standing) => standing,
  'takedown-sent': leadingTo('takedown-sent'),
  down: leadingTo('down'),
  'false-positive': leadingTo('false-positive'),
}

/** Two states, of which the second may follow on the first. */
export const caseMoves: readonly (readonly [from: CaseState, to: CaseState])[] = CASE_STATES.flatMap((from) =>
  [...new Set(Object.values<readonly CaseState[]>(CASE_MOVES[from]).flat())].map((to) => [from, to] as const),
)
