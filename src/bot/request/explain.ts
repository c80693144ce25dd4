import {
  type Act,
  DatabaseUnavailable,
  OutcomeLost,
  OutcomeUnknown,
  SealError,
  WorkspaceDeleted,
} from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import {
  AccessDenied,
  FieldErrors,
  Notice,
  Question,
  type SuggestedCommand,
  UserError,
} from '@signalman/runtime'
import {
  actions,
  clipOptions,
  commandButton,
  context,
  controlRow,
  findMissingScopes,
  LIMITS,
  literal,
  MAX_CONTROLS,
  type Message,
  mayHaveHappened,
  message,
  mrkdwnSection,
  retryAfterMs,
  section,
  sentences,
} from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { pluralize } from '../../domain/wording.ts'
import { ApiError, type ApiErrorKind } from '../../service/errors.ts'

/** Buttons carry their message's environment, so this opens the form for the environment that refused the token. */
const RECONNECT: SuggestedCommand = { label: 'Store a new token', line: '/hc connect' }

/** What happened and what to do next, for each kind of error of the service. */
const EXPLANATIONS: Record<ApiErrorKind, { happened: string; next: string; suggestion?: SuggestedCommand }> =
  {
    unauthorized: {
      happened: 'The service doesn’t accept the token.',
      next: 'Store a new one.',
      suggestion: RECONNECT,
    },
    forbidden: {
      happened: 'The token isn’t allowed to do this.',
      next: 'Ask the owner of the account for permission, or store another token.',
      suggestion: RECONNECT,
    },
    'not-found': {
      happened: 'The service has nothing with that name or ID.',
      next: 'Look for it in the list.',
      suggestion: { label: 'List health checks', line: '/hc list' },
    },
    conflict: {
      happened: 'The service refused this, because it conflicts with the service’s current data.',
      next: 'Check what’s there now, then redo what’s still needed.',
    },
    rejected: {
      happened: 'The service refused the request.',
      next: 'Fix the problem that it reports, then try again.',
    },
    'rate-limited': { happened: 'The service is getting too many requests.', next: 'Try again in a minute.' },
    unavailable: {
      happened: 'The service is unreachable or failing.',
      next: 'Try again in a few minutes.',
    },
    timeout: { happened: 'The service did not answer in time.', next: 'Try again in a few minutes.' },
    unreadable: {
      happened: 'Signalman couldn’t understand the service’s response.',
      next: 'Try again. If it keeps happening, give the reference to the person who runs this app.',
    },
    cancelled: { happened: 'This was stopped before it finished.', next: 'Ask again.' },
  }

export interface Explained {
  happened: string
  /** The service's own message, word for word. */
  serviceMessages: readonly string[]
  effect: Effect
  next: string
  suggestions: readonly SuggestedCommand[]
  /** Errors in a form's answers: a sentence for each invalid field, by field. */
  fields?: Readonly<Record<string, string>>
  /** The people who can grant the missing permission. */
  admins?: readonly string[] | undefined
  /** How those people are introduced, e.g. `Who can give it`. */
  adminsLabel?: string
  /** True for a bug of this app, logged as an error with its cause. */
  isFault: boolean
  /** True if nothing broke: the request was refused for a stated reason. Then no reference is shown. */
  isRefusal?: boolean
  /** True if nothing is done until the person presses one of the suggestions. */
  isQuestion?: boolean
}

/** Whether anything was changed. */
type Effect = keyof typeof EFFECTS

/** What a person reads about it. */
const EFFECTS = {
  /** For a read, it goes without saying. A Notice says it itself, or is about nothing that could be changed. */
  unsaid: '',
  /** Always true for the failed step. `explain` replaces it if it isn't true for the whole request. */
  nothing: 'Nothing was changed.',
  'earlier-steps': 'The earlier steps were already done. Check them before you repeat anything.',
  'earlier-rows': 'Changes made before that remain.',
  'maybe-all': 'It may still have gone through. Check before you repeat it.',
  'maybe-part': 'Part of it may have gone through. Check before you repeat it.',
  all: 'Signalman won’t repeat it.',
} as const

interface ErrorContext {
  act?: Pick<Act, 'hasNoStepYet' | 'hasDoneSteps'> | undefined
  /** False if the request can't lead to a change. Then it goes without saying that nothing was changed. */
  mayChange?: boolean
}

/** Explains any error to a person. Never shows the text of an unexpected error, which may contain anything. */
export function explain(thrown: unknown, { act, mayChange = true }: ErrorContext = {}): Explained {
  const problem = explainError(thrown, act?.hasNoStepYet === false)
  if (problem.effect !== 'nothing') return problem
  if (!mayChange) return { ...problem, effect: 'unsaid' }
  return act?.hasDoneSteps() && !problem.fields ? { ...problem, effect: 'earlier-steps' } : problem
}

/** An error that was explained in an earlier run of an act. */
export class StoredProblem extends UserError {
  override readonly name = 'StoredProblem'
  readonly problem: Explained
  constructor(problem: Explained) {
    super(problem.happened, problem.suggestions)
    this.problem = problem
  }
}

/**
 * Explains an error by itself; `explain` also considers what else its request did. `hasBegun`: whether something may have been changed,
 * whatever went wrong.
 */
export function explainError(thrown: unknown, hasBegun = true): Explained {
  const error = explainMissingScope(thrown) ?? thrown
  if (error instanceof StoredProblem) return error.problem
  const isRefusal = true
  if (error instanceof Notice)
    return {
      ...{ ...NOTHING, happened: error.message, suggestions: error.suggestions, isRefusal },
      ...(error instanceof Question && { isQuestion: true }),
    }
  if (error instanceof UserError) return explainUserError(error)
  if (error instanceof FieldErrors) {
    const { message: happened, fields } = error
    return { ...NOTHING, happened, effect: 'nothing', fields, isRefusal }
  }
  if (error instanceof ApiError) return explainServiceError(error)
  if (error instanceof OutcomeUnknown) {
    const serviceMessages = error.cause instanceof ApiError ? error.cause.serviceMessages : []
    return { ...NOTHING, ...UNKNOWN, serviceMessages }
  }
  if (error instanceof OutcomeLost) return { ...NOTHING, ...LOST }
  if (error instanceof SealError) return { ...NOTHING, ...explainUndecryptable(error), isFault: true }
  const effect = hasBegun ? 'maybe-part' : 'nothing'
  if (error instanceof WorkspaceDeleted) return { ...NOTHING, happened: DELETED_MEANWHILE, effect }
  return { ...NOTHING, ...explainFailure(error), effect, isFault: true }
}

const DELETED_MEANWHILE =
  'The person who runs this app deleted this workspace’s data while this ran, so Signalman didn’t store anything about it.'

const NOTHING: Explained = {
  happened: '',
  serviceMessages: [],
  effect: 'unsaid',
  next: '',
  suggestions: [],
  isFault: false,
}

function explainUserError(error: UserError): Explained {
  const { message: happened, suggestions, cause } = error
  return {
    ...NOTHING,
    happened,
    effect: 'nothing',
    suggestions,
    ...(error instanceof AccessDenied && { admins: error.admins, adminsLabel: error.adminsLabel }),
    // With a cause, something did break, so the answer has a reference.
    ...(cause === undefined && { isRefusal: true }),
  }
}

/** Explains a call that Slack refused because a scope is missing. Undefined for other errors. */
function explainMissingScope(error: unknown): UserError | undefined {
  const scopes = findMissingScopes(error)
  if (!scopes) return undefined
  const scopeText = scopes.length > 0 ? `the scope ${scopes.join(' or ')}` : 'a scope'
  return new UserError(
    `Slack doesn’t allow this, because the app lacks ${scopeText}. A workspace admin can grant it by reinstalling the app.`,
  )
}

function explainServiceError({
  kind,
  mayHaveHappened,
  obstacle,
  retryAfterSeconds,
  serviceMessages,
}: ApiError): Explained {
  const { happened, next, suggestion } = EXPLANATIONS[kind]
  return {
    ...NOTHING,
    happened: obstacle ? `${happened} ${obstacle}` : happened,
    serviceMessages,
    effect: mayHaveHappened ? 'maybe-all' : 'nothing',
    next: retryHint(retryAfterSeconds) ?? next,
    suggestions: suggestion ? [suggestion] : [],
  }
}

/** Explains a failure of the database or of Slack. Anything else is a bug in Signalman. */
function explainFailure(error: unknown): { happened: string; next: string } {
  if (error instanceof DatabaseUnavailable) return DATABASE_DOWN
  const retryMs = retryAfterMs(error)
  if (retryMs !== undefined) return explainRateLimit(retryMs)
  return mayHaveHappened(error) ? SLACK_DOWN : INTERNAL
}

/** Explains that Slack accepts no request for a while. */
export const explainRateLimit = (retryMs: number): { happened: string; next: string } => ({
  happened: 'Slack is rate limiting Signalman.',
  next: retryHint(retryMs / 1000) ?? SLACK_DOWN.next,
})

/** Explains that stored content can't be decrypted. Names the missing key, and nothing from the content. */
const explainUndecryptable = ({ message }: SealError) => ({
  happened: `Signalman can’t decrypt what it stored for this. ${message}`,
  effect: 'nothing' as const,
  next: 'Give the reference to the person who runs this app. docs/keys.md says how to fix it.',
})

const UNKNOWN = {
  happened: 'The outcome is unknown. Signalman got no confirmation, and couldn’t find the result.',
  effect: 'maybe-all',
} as const

const INTERNAL = {
  happened: 'Something went wrong inside Signalman.',
  next: 'Give the reference to the person who runs this app.',
}

const DATABASE_DOWN = {
  happened: 'Signalman’s database isn’t responding.',
  next: 'Try again in a minute. If it keeps happening, give the reference to the person who runs this app.',
}

const SLACK_DOWN = {
  happened: 'Slack is unreachable or failing.',
  next: 'Try again in a few minutes.',
}

const LOST = {
  happened: 'It’s done, but Signalman was interrupted before it could show you the result.',
  effect: 'all',
} as const

const MINUTE_S = 60
const HOUR_S = 3600

/** When to retry, if the service says so. */
function retryHint(seconds: number | undefined): string | undefined {
  if (seconds === undefined || seconds <= 0) return undefined
  if (seconds <= MINUTE_S) return `Try again in ${pluralize(Math.ceil(seconds), 'second')}.`
  if (seconds < 2 * HOUR_S) return `Try again in ${pluralize(Math.ceil(seconds / MINUTE_S), 'minute')}.`
  return `Try again in ${pluralize(Math.ceil(seconds / HOUR_S), 'hour')}.`
}

/** The explanation of a problem, and the service's own text about it, which comes last because it may be long and get truncated. */
export function problemText({
  happened,
  effect,
  next,
  serviceMessages,
}: Explained): [explanation: string, serviceText: string] {
  const explanation = [happened, [EFFECTS[effect], next].filter(Boolean).join(' ')].filter(Boolean).join('\n')
  return [explanation, quoteService(serviceMessages).join('\n')]
}

/** The message about something that failed. What isn't there in OTE may be in production, so the message always names OTE. */
export function problemMessage(problem: Explained, reference: string, environment?: Environment): Message {
  const [explanation, serviceText] = problemText(problem)
  const oteText = environment === 'ote' && !explanation.includes('OTE') ? 'OTE test environment' : ''
  const granters = formatGranters(problem)
  const labels = clipOptions(
    problem.suggestions.map(({ label }) => label),
    LIMITS.buttonText,
  )
  const buttons = problem.suggestions.map(({ line }, index) => commandButton(labels[index] ?? '', line))
  const referenceText = referenceLine(problem, reference)
  return message(
    [literal(explanation), granters, referenceText, serviceText && literal(serviceText), oteText]
      .filter(Boolean)
      .join('\n'),
    sentences(explanation),
    serviceText ? [section(serviceText)] : [],
    granters ? [mrkdwnSection(granters)] : [],
    actions(...(buttons.length > MAX_CONTROLS ? controlRow(buttons) : buttons)),
    [oteText, referenceText].filter(Boolean).map((text) => context(text)),
  )
}

/** The reference by which the operator finds the problem in the log. Empty for a refusal. */
export const referenceLine = ({ isRefusal }: Explained, reference: string): string =>
  isRefusal ? '' : `Reference: ${reference}`

const USER_ID = /^[UW][A-Z0-9]+$/

/** The people who can grant the missing permission, as mrkdwn; undefined if no permission is missing. */
export function formatGranters({ admins, adminsLabel }: Explained): string | undefined {
  if (!admins) return undefined
  // Mentions are fine here: in a private message, they notify nobody.
  const mentions = admins.filter((id) => USER_ID.test(id)).map((id) => `<@${id}>`)
  return `${adminsLabel}: ${mentions.length > 0 ? mentions.join(', ') : 'the admins of this workspace'}.`
}

/** The service's own messages about a failure, one sentence each. */
export const quoteService = (serviceMessages: readonly string[]): string[] =>
  serviceMessages.map((sentence) => `The service said: “${sentence}”`)

/** Logs a problem under the reference that the person was shown: a bug in Signalman with its cause, other errors by name. */
export function logProblem(log: Log, logFields: object, problem: Explained, error: unknown): void {
  if (problem.isFault) {
    log.error({ ...logFields, outcome: 'failed', err: error }, 'A request failed.')
    return
  }
  const { name } = error instanceof Error ? error : { name: 'unknown' }
  const kind = error instanceof ApiError ? error.kind : undefined
  log.info(
    { ...logFields, outcome: 'problem', error: name, errorKind: kind },
    'Showed a problem to the person.',
  )
}
