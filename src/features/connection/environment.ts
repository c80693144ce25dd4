import { UserError } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  isDirect,
  literal,
  type Message,
  message,
  oneLine,
  saidNo,
  section,
} from '@signalman/slack'
import { NO_OTE } from '../../bot/request/context.ts'
import type { ActSteps, Messaging, Requester } from '../../bot/routes/command-context.ts'
import type { Channels } from '../../bot/workspaces/channels.ts'
import { ENVIRONMENT_NAMES, type Environment } from '../../domain/environment.ts'

const TYPED: Readonly<Record<string, Environment>> = {
  production: 'production',
  prod: 'production',
  live: 'production',
  ote: 'ote',
  test: 'ote',
}

/** Says which environment a channel asks, or has it ask another one. Throws UserError. */
export async function channelEnvironment(
  parts: { channels: Channels; hasOte: boolean },
  context: Requester & ActSteps & Pick<Messaging, 'slack'>,
  typed: string | undefined,
): Promise<Message> {
  const { channelId, workspaceId } = context
  if (!channelId) throw new UserError('An environment is set for a channel. Type this in the channel.')
  const before = await context.keep(
    'environment',
    async () => (await parts.channels.environment(workspaceId, channelId)) ?? 'production',
  )
  if (typed === undefined) return view(before, 'This channel asks', parts.hasOte)
  const environment = Object.hasOwn(TYPED, typed.toLowerCase()) ? TYPED[typed.toLowerCase()] : undefined
  if (!environment)
    throw new UserError(`“${typed}” is no environment: type production or ote.`, [
      { label: 'Production', line: '/hc env production' },
      { label: 'OTE', line: '/hc env ote' },
    ])
  if (environment === 'ote' && !parts.hasOte) throw new UserError(NO_OTE)
  const said = 'From now on, this channel asks'
  if (environment === before) return view(environment, 'This channel already asks', parts.hasOte)
  await context.change(
    {
      verb: '/hc env',
      object: `channel ${channelId}`,
      before: { environment: before },
      after: { environment },
      isRepeatable: true,
    },
    () => parts.channels.setEnvironment(workspaceId, channelId, environment),
  )
  const lacks = await context.keep('told the channel', async () =>
    // In direct messages nobody else reads the answers.
    isDirect(channelId) ? '' : tellChannel(context, channelId, environment),
  )
  return view(environment, said, parts.hasOte, lacks)
}

const NOT_SAID =
  'Nobody else was told: Signalman may not write in this channel. Invite it with /invite, or tell them yourself.'
const MAYBE_SAID =
  'It is not known whether anybody else was told: Slack has not taken it. Tell them yourself.'

/** Everyone in a channel gets other answers from now on, so everyone is told. Returns what is to be said where they were not. */
async function tellChannel(
  { userId, slack }: Requester & Pick<Messaging, 'slack'>,
  channelId: string,
  environment: Environment,
): Promise<string> {
  const client = await slack()
  const name = await client.personOf(userId).then(
    (person) => clip(oneLine(person.name), 80),
    () => '',
  )
  const asks = `From now on, this channel asks the ${ENVIRONMENT_NAMES[environment]} environment`
  const says = `${name || 'Somebody'} switched the environment. ${asks}. /hc and the other commands answer from there.`
  return client.post({ channelId }, message(literal(says), section(says))).then(
    () => '',
    (error: unknown) => (saidNo(error) ? NOT_SAID : MAYBE_SAID),
  )
}

function view(environment: Environment, said: string, hasOte: boolean, lacks = ''): Message {
  const other = environment === 'ote' ? 'production' : 'ote'
  const isThere = other === 'production' || hasOte
  return card({
    answer: `${said} the ${ENVIRONMENT_NAMES[environment]} environment.`,
    notes: [
      ...(lacks ? [lacks] : []),
      ...(isThere ? [`To ask the other one once, add --env ${other} to a command.`] : []),
    ],
    controls: [
      commandButton('Summary', `/hc --env ${environment}`),
      ...(isThere ? [commandButton(`Ask ${ENVIRONMENT_NAMES[other]} from now on`, `/hc env ${other}`)] : []),
    ],
  })
}
