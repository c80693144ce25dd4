import { selectInput, textInput } from '../../../blocks/inputs.ts'
import { section } from '../../../blocks/layout.ts'
import { date, paragraph, person, richText, words } from '../../../blocks/rich-text.ts'
import type { ConfiguredTokens } from '../../../bot/context/api-of.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import type { Environment } from '../../../domain/environment.ts'
import { ENVIRONMENT_NAMES } from '../../../domain/environment.ts'
import { FieldErrors } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import type { ConnectionSummary } from '../../../store/store.ts'
import { type AccessParts, firstQuestion, withQuestion } from '../access-question.ts'
import { type ConnectParts, connectWorkspace } from '../connect-workspace.ts'
import { cleanToken } from '../parse.ts'
import { connectedView } from '../views/connected.ts'

const ENVIRONMENTS = ['production', 'ote'] as const satisfies readonly Environment[]

/** Which environments can be connected, and what is known of each. */
export interface ConnectionState {
  stored: readonly ConnectionSummary[]
  configured: ConfiguredTokens
  hasOte: boolean
}

/** Asks for a token; `chosen` is the environment that the form starts with. */
export function connectModal(
  chosen: Environment,
  { stored, configured, hasOte }: ConnectionState,
  resume?: string,
): Modal {
  const about: ResumedLine = resume === undefined ? {} : { resume }
  const offered = ENVIRONMENTS.filter((environment) => environment !== 'ote' || hasOte)
  const fromOperator = offered.filter((environment) => configured[environment])
  return {
    title: 'Store a token',
    form: { id: CONNECT, submit: 'Test and store' },
    about,
    blocks: [
      section(
        'Signalman uses a connection token of the service for everyone in this workspace. It is tried out first, then stored encrypted. It is never shown again.',
      ),
      selectInput(
        'environment',
        'Environment',
        offered.map((value) => ({ label: labelOf(value), value, chosen: value === chosen })),
      ),
      textInput('token', 'Token', { hint: 'Paste it as it is, at most 3,000 characters.' }),
      stored.map(({ environment, userId, storedAt }) =>
        richText(
          paragraph(
            words(`${labelOf(environment)}: a token is stored, by `),
            person(userId),
            words(' on '),
            date(storedAt),
            words('. A new one replaces it.'),
          ),
        ),
      ),
      fromOperator.map((environment) =>
        section(
          `${labelOf(environment)}: whoever runs this app has configured a token. One stored here is used instead of it.`,
        ),
      ),
    ],
  }
}

/** The line that was asked for when the token was missing: offered again once it is there, and never run by itself. */
interface ResumedLine {
  resume?: string
}

interface TypedToken {
  environment: Environment
  token: string
}

/** The form of `connectModal`: the token is kept only when the service accepts it. */
export function connectForm(parts: ConnectParts & AccessParts): Form<TypedToken, ResumedLine> {
  return {
    id: CONNECT,
    verb: '/hc connect',
    needs: 'admin',
    working: 'Trying the token out…',
    secret: ['token'],
    read: readTyped,
    async submit(context, typed, { resume }) {
      const connected = await connectWorkspace(parts, context, typed)
      const outcome = connectedView(typed.environment, connected, resume)
      return withQuestion(outcome, await firstQuestion(parts, context))
    },
  }
}

/** Throws FieldErrors. */
function readTyped(answers: Answers): TypedToken {
  const environment = ENVIRONMENTS.find((name) => name === answers.choice('environment'))
  if (!environment) throw new FieldErrors({ environment: 'Choose the environment that the token is for.' })
  return { environment, token: cleanToken(answers.text('token')) }
}

const CONNECT = 'connection.connect'

const labelOf = (environment: Environment): string =>
  environment === 'production' ? 'Production' : ENVIRONMENT_NAMES.ote
