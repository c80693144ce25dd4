import { Question, UserError } from '@signalman/runtime'
import {
  formatDate,
  forSharedMessage,
  isDirect,
  context as layout,
  type Message,
  mrkdwn,
  redactEmailAddresses,
  type SlackClient,
  type Workspace,
} from '@signalman/slack'
import { canSeePersonalData } from './access/access.ts'
import type { People } from './access/actor.ts'
import { isModal } from './answer.ts'
import { writeShared } from './audit/object-text.ts'
import { bindButtons } from './bind-buttons.ts'
import type { Arguments } from './grammar/read-words.ts'
import { throwChannelRefusal } from './posts/channel-refusals.ts'
import { sendStep } from './posts/post-step.ts'
import type { CommandContext } from './routes/command-context.ts'
import { type ResolvedLine, writeLine } from './routes/lines.ts'
import type { Modal, Verb } from './routes/routes.ts'

/** Posts the answer of a line for everyone in the channel. */
export type ShareAnswer = (
  context: CommandContext,
  resolved: Pick<ResolvedLine, 'verb' | 'args' | 'words'>,
  content: Message | Modal,
) => Promise<undefined>

/** Creates the function that shares a private answer with the channel, if the channel allows it. */
export function createShare(people: Pick<People, 'listGuests'>): ShareAnswer {
  async function throwUnlessAllowed(
    context: CommandContext,
    channelId: string,
    verb: Verb,
    line: string,
    { yes: isConfirmed, guests }: Arguments['flags'],
  ): Promise<{ isSharedOutside: boolean }> {
    const refuse = (reason: string): Promise<never> => refuseShare(context, channelId, verb, line, reason)
    if (!canSeePersonalData(context.actor))
      return refuse('Guests can’t share to a channel. Ask a member of this workspace to share it.')
    const slack = await context.slack()
    const { isSharedOutside } = await slack
      .readChannel(channelId)
      .catch((error) => throwChannelRefusal(error, channelId))
    if (isConfirmed || (guests && !isSharedOutside)) return { isSharedOutside }
    const warning = isSharedOutside ? OUTSIDERS_WARNING : await findGuestWarning(slack, context, channelId)
    if (warning === undefined) return { isSharedOutside }
    const answer = isSharedOutside ? '--yes' : '--guests'
    throw new Question(`${warning} Share it anyway?`, [{ label: 'Share', line: `${line} --share ${answer}` }])
  }

  /** The warning about guests who can read the channel; undefined if there are none. */
  async function findGuestWarning(
    slack: SlackClient,
    workspace: Workspace,
    channelId: string,
  ): Promise<string | undefined> {
    if (isDirect(channelId)) return undefined
    try {
      const guests = await people.listGuests(workspace)
      const hasGuests = guests.size > 0 && (await slack.isAnyInChannel(channelId, guests))
      if (hasGuests === undefined) return MAYBE_GUESTS_WARNING
      return hasGuests ? GUESTS_WARNING : undefined
    } catch {
      return MAYBE_GUESTS_WARNING
    }
  }

  return async (context, { verb, args, words }, content) => {
    if (isModal(content)) throw new UserError('You can’t share a window.')
    const { channelId, threadTs, environment } = context
    const line = writeLine({ verb, words, args })
    if (!channelId)
      throw new UserError(
        'There’s no channel here to share to. Run the command in the channel you want to share it in.',
      )
    const { isSharedOutside } = await throwUnlessAllowed(context, channelId, verb, line, args.flags)
    // A name, not a mention: you're never @-mentioned for your own action.
    const { name = 'a member' } = context.actor
    const footer = (hasHidden: boolean) =>
      layout(
        `Shared by ${name}`,
        mrkdwn(`as of ${formatDate(context.now)}`, 200),
        ...(hasHidden ? ['email addresses are hidden'] : []),
      )
    const forChannel = { text: content.text, blocks: forSharedMessage(content.blocks) }
    const { message: shown, wasRedacted } = redactEmailAddresses(forChannel)
    const blocks = bindButtons([...shown.blocks.slice(0, 49), footer(wasRedacted)], environment)
    const details = { verb: verb.line, object: writeShared(line), after: { channelId } }
    const destination = { channelId, threadTs }
    const { ts } = await sendStep(
      context,
      { details, destination, isAgreed: args.flags.yes === true },
      async (slack, options) => ({
        channelId,
        ts: await slack.post(destination, { text: shown.text, blocks }, options),
      }),
    )
    // Nothing follows it where another organization reads.
    if (!isSharedOutside) await verb.onShared?.(context, args, { channelId, ts, threadTs })
    return undefined
  }
}

const OUTSIDERS_WARNING =
  'This channel is shared with another organization, and everyone in it would see this.'
const GUESTS_WARNING = 'Guests can read this channel, and they would see this.'
const MAYBE_GUESTS_WARNING =
  'Signalman can’t tell whether guests can read this channel. If there are any, they would see this.'

async function refuseShare(
  context: CommandContext,
  channelId: string,
  verb: Verb,
  line: string,
  reason: string,
): Promise<never> {
  await context.recordRefusal({
    verb: verb.line,
    object: writeShared(line),
    after: { channelId },
  })
  throw new UserError(reason)
}
