import { UserError } from '@signalman/runtime'
import { card, type Message } from '@signalman/slack'
import { sendFiles } from '../../bot/posts/send-files.ts'
import type { ActSteps, Messaging, Requester, Rights } from '../../bot/routes/command-context.ts'
import { cmd } from '../../domain/command-names.ts'
import { isPublicOrOwn } from './channel.ts'
import type { WatchStore } from './rows/watching.ts'
import type { Watch } from './rules/watch.ts'
import { formatWatchLine, toChannelValues, toWatchValues } from './rules/watch-fields.ts'
import { countWatches } from './views/words.ts'

const FILE_NAME = 'watches.txt'

/**
 * Exports the watches that the person sees as a file of commands that recreate them. Sends it in a direct message. Leaves out those that
 * end with the outage that they're about.
 */
export async function exportWatches(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Requester & Rights & Messaging & ActSteps,
): Promise<Message> {
  const all = await watches.list(context.workspaceId)
  const exported = all.filter((watch) => !watch.recoveryOf && isPublicOrOwn(watch, context.userId))
  if (exported.length === 0)
    throw new UserError('No channel watches anything, so there is nothing to export.')
  const body = Buffer.from(formatExport(exported).join('\n').concat('\n'))
  const count = countWatches(exported.length)
  await context.change(
    { verb: '/hc watches', object: 'export', after: { watches: exported.length }, isRepeatable: true },
    () =>
      sendFiles(context, `${count}, one line each. To create a watch again, paste its line into Slack.`, [
        { name: FILE_NAME, title: 'Watches', body, bytes: body.length },
      ]),
  )
  return card({ headline: `I sent you a DM with ${FILE_NAME}, which lists ${count}.` })
}

/** Formats one command per watch. */
const formatExport = (watches: readonly Watch[]): string[] =>
  watches.map((watch) => cmd(formatWatchLine({ ...toWatchValues(watch), ...toChannelValues(watch) })))
