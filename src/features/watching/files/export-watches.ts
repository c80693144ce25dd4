import type { Message } from '../../../blocks/message.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { UserError } from '../../../errors.ts'
import type { WatchStore } from '../../../store/store.ts'
import { fileSentView } from '../views/files.ts'
import { fileOf } from './watch-file.ts'

const NAME = 'watches.json'

/** Sends every watch and digest of the workspace as a file to the person's direct messages. */
export async function exportWatches(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  context: CommandContext,
): Promise<Message> {
  const [found, summed] = await Promise.all([
    watches.list(context.workspaceId),
    digests.list(context.workspaceId),
  ])
  if (found.length + summed.length === 0)
    throw new UserError('No channel watches anything yet: there is nothing to export.')
  const body = Buffer.from(`${JSON.stringify(fileOf(found, summed), null, 2)}\n`)
  const slack = await context.slack()
  const told = fileSentView(found.length, NAME)
  await context.change(
    { verb: '/hc watches', object: 'export', after: { watches: found.length, digests: summed.length } },
    async () => {
      const posted = await context.tell(context.userId, told)
      await slack.upload(
        { channelId: posted.channelId },
        { name: NAME, title: 'Watches', body, bytes: body.length },
      )
    },
  )
  return told
}
