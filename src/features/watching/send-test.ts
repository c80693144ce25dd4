import type { Message } from '../../blocks/message.ts'
import { postStep } from '../../bot/posts/post-step.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { UserError } from '../../errors.ts'
import { channelHere, permitTelling } from './channel.ts'
import type { WatchParts } from './keep-watch.ts'
import { testSentView, testView } from './views/watch-outcomes.ts'

/** Posts a card that says that it is a test. Throws UserError when nothing can be posted. */
export async function sendTest(
  { watching }: WatchParts,
  context: CommandContext,
  watchId: string | undefined,
  isSure: boolean,
): Promise<Message> {
  const watch = watchId ? await watching.watches.find(context.workspaceId, watchId) : undefined
  if (watchId && !watch) throw new UserError('This watch has ended. Nothing was posted.')
  const channelId = watch?.channelId ?? channelHere(context)
  await permitTelling(context, channelId, { isSure: isSure || watch !== undefined, line: '/hc watch-test' })
  const what = { verb: '/hc watch-test', object: `channel ${channelId}` }
  await postStep(context, what, { channelId }, (slack, options) =>
    slack.post({ channelId }, testView(context.now), options),
  )
  return testSentView()
}
