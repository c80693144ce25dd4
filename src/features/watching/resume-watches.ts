import type { Message } from '../../blocks/message.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { permitTelling } from './channel.ts'
import { resumeChannel, type WatchParts } from './keep-watch.ts'
import { resumedView } from './views/watch-outcomes.ts'

/** Lets the paused watches of a channel tell again. Throws UserError while nothing can be posted there. */
export async function resumeWatches(
  parts: WatchParts,
  context: CommandContext,
  channelId: string,
): Promise<Message> {
  // The people who made these watches were asked about other organizations then.
  await permitTelling(context, channelId, { isSure: true, line: '' })
  return resumedView(await resumeChannel(parts, context, channelId))
}
