import { OutcomeUnknown, willResume } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { card, commandButton, isDirect, literal, type Message, message, section } from '@signalman/slack'
import { sendStep } from '../../bot/posts/post-step.ts'
import { NO_OTE } from '../../bot/request/context.ts'
import type {
  ActSteps,
  AuditDetails,
  Messaging,
  Requester,
  Rights,
} from '../../bot/routes/command-context.ts'
import type { Channels } from '../../bot/workspaces/channels.ts'
import { ENVIRONMENT_NAMES, type Environment } from '../../domain/environment.ts'
import { writeCommand } from '../../domain/write-command.ts'

type EnvironmentContext = Requester & ActSteps & Messaging & Pick<Rights, 'actor'>

/** Shows which environment a channel uses, or switches it. Throws UserError. */
export async function showOrSwitchEnvironment(
  deps: { channels: Channels; hasOte: boolean },
  context: EnvironmentContext,
  environment: Environment | undefined,
): Promise<Message> {
  const { channelId, workspaceId } = context
  if (!channelId) throw new UserError('Each channel has its own environment. Type this in a channel.')
  const before = await context.once(
    'environment',
    async () => (await deps.channels.environment(workspaceId, channelId)) ?? 'production',
  )
  if (environment === undefined) return environmentView(before, 'This channel uses', deps.hasOte)
  if (environment === 'ote' && !deps.hasOte) throw new UserError(NO_OTE)
  if (environment === before) return environmentView(environment, 'This channel already uses', deps.hasOte)
  const change = {
    verb: '/hc env',
    object: `channel ${channelId}`,
    before: { environment: before },
    after: { environment },
  }
  await context.decide(change, (decisions) =>
    deps.channels.within(decisions).setEnvironment(channelId, environment),
  )
  // In a DM, the change affects no one else.
  const warning = isDirect(channelId) ? '' : await announceEnvironment(context, channelId, change)
  return environmentView(environment, 'This channel now uses', deps.hasOte, warning)
}

const MAYBE_ANNOUNCED =
  'Slack may not have posted the announcement in this channel. Check, or tell people yourself.'

/** Posts in the channel, because the change affects everyone there. Returns a warning if that failed, otherwise an empty string. */
async function announceEnvironment(
  context: EnvironmentContext,
  channelId: string,
  change: AuditDetails & { readonly after: { readonly environment: Environment } },
): Promise<string> {
  const { name = 'Someone' } = context.actor
  const text = `${name} switched the environment. This channel now uses the ${ENVIRONMENT_NAMES[change.after.environment]} environment.`
  try {
    await sendStep(context, { details: change, channelId }, message(literal(text), section(text)))
    return ''
  } catch (error) {
    if (willResume(error)) throw error
    if (error instanceof OutcomeUnknown) return MAYBE_ANNOUNCED
    const why = error instanceof UserError ? ` ${error.message}` : ''
    return `Signalman couldn’t tell anyone else.${why}`
  }
}

function environmentView(environment: Environment, start: string, hasOte: boolean, warning = ''): Message {
  const other = environment === 'ote' ? 'production' : 'ote'
  const canSwitch = other === 'production' || hasOte
  return card({
    headline: `${start} the ${ENVIRONMENT_NAMES[environment]} environment.`,
    notes: [
      ...(warning ? [warning] : []),
      ...(canSwitch ? [`To use the other one for a single command, add --env ${other}.`] : []),
    ],
    controls: [
      commandButton('Summary', writeCommand('/hc', { environment })),
      ...(canSwitch
        ? [
            commandButton(
              `Switch to ${ENVIRONMENT_NAMES[other]}`,
              writeCommand('/hc env', { words: [other] }),
            ),
          ]
        : []),
    ],
  })
}
