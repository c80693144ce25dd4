import { Question, UserError } from '@signalman/runtime'
import {
  formatDate,
  forSharedMessage,
  context as layout,
  type Message,
  mrkdwn,
  redactEmailAddresses,
} from '@signalman/slack'
import { capitalize } from '../domain/wording.ts'
import { canSeePersonalData } from './access/access.ts'
import { isModal } from './answer.ts'
import { writeShared } from './audit/object-text.ts'
import type { Arguments } from './grammar/read-words.ts'
import { createChannelRefusal, explainChannelRefusal } from './posts/channel-refusals.ts'
import { sendStep } from './posts/post-step.ts'
import type { CommandContext, Obstacle } from './routes/command-context.ts'
import { writeLine } from './routes/lines.ts'
import type { Reading } from './routes/read-line.ts'
import type { Modal, Verb } from './routes/routes.ts'

/** Which flag says that the person knows who else reads the channel. */
const AGREEMENTS: Partial<Record<Obstacle, string>> = {
  'shared-outside': '--yes',
  guests: '--guests',
  'maybe-guests': '--guests',
}

/** Throws unless the answer may be shared. Returns whether another organization reads it. */
async function throwUnlessAllowed(
  context: CommandContext,
  channelId: string,
  verb: Verb,
  line: string,
  { yes, guests }: Arguments['flags'],
): Promise<{ isSharedOutside: boolean }> {
  if (!canSeePersonalData(context.actor)) {
    await context.recordRefusal({ verb: verb.line, object: writeShared(line), after: { channelId } })
    throw new UserError('Guests can’t share to a channel. Ask a member of this workspace to share it.')
  }
  const permission = await context.mayPost(channelId, { asksGuests: true })
  const isSharedOutside = permission === 'shared-outside'
  const agreement = permission === 'yes' ? undefined : AGREEMENTS[permission]
  if (permission === 'yes' || (agreement && (yes || (guests && !isSharedOutside)))) return { isSharedOutside }
  if (!agreement) throw createChannelRefusal(channelId, permission)
  const { problem } = explainChannelRefusal(permission)
  throw new Question(`${capitalize(problem)}, and everyone in it would see this. Share it anyway?`, [
    { label: 'Share', line: `${line} --share ${agreement}` },
  ])
}

/** Shares a private answer with the channel, if the channel allows it. */
export async function share(
  context: CommandContext,
  { verb, args, words }: Pick<Reading, 'verb' | 'args' | 'words'>,
  content: Message | Modal,
): Promise<undefined> {
  if (isModal(content)) throw new UserError('You can’t share a window.')
  const { channelId, threadTs } = context
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
  const details = { verb: verb.line, object: writeShared(line), after: { channelId } }
  const { ts } = await sendStep(
    context,
    { details, channelId, threadTs, isAgreed: args.flags.yes === true },
    { text: shown.text, blocks: [...shown.blocks.slice(0, 49), footer(wasRedacted)] },
  )
  // Nothing follows it where another organization reads.
  if (!isSharedOutside) await verb.onShared?.(context, args, { channelId, ts, threadTs })
  return undefined
}
