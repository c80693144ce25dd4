import type { Upload } from '@signalman/slack'
import { sendFiles } from '../../../bot/posts/send-files.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { cmd } from '../../../domain/command-names.ts'
import { mapConcurrently } from '../many/settle-each.ts'
import { followsDns } from '../write/server-address.ts'
import { type ChangedRow, toFile } from './format.ts'

const CONCURRENT_LOOKUPS = 16

/** The file of what was before a change. */
export async function buildBefore(title: string, rows: readonly ChangedRow[]): Promise<Upload> {
  const marked = await mapConcurrently(
    rows,
    async (changed) => ({ ...changed, isFromDns: await followsDns(changed.row.before.settings) }),
    CONCURRENT_LOOKUPS,
  )
  return toFile('before', title, marked)
}

/** Sends the person the file of what was before the change of a window. Returns how to undo that. */
export async function sendBefore(
  context: CommandContext,
  title: string,
  changed: ChangedRow,
): Promise<string> {
  const file = await buildBefore(title, [changed])
  const how = `import the file with ${cmd('/hc import')}`
  // The change is done, whether or not Slack takes the file.
  return sendFiles(context, `This is what “${title}” was before. To undo the change, ${how}.`, [file]).then(
    () => `To undo this, ${how}: it’s in our DM.`,
    () => 'Slack didn’t take the file of what was before.',
  )
}
