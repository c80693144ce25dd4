import { clip, oneLine, type Upload } from '@signalman/slack'
import { sendFiles } from '../../../bot/posts/send-files.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { cmd } from '../../../domain/command-names.ts'
import { buildCsv } from '../../../domain/csv.ts'
import { mapConcurrently } from '../many/settle-each.ts'
import { followsDns } from '../write/server-address.ts'

import { beforeCells, beforeHeader, type ChangedRow, type Column, listColumns } from './format.ts'

const CONCURRENT_LOOKUPS = 16

/** The file of what was before a change of many checks, with these columns. `pages` are its rows. */
export const buildBefore = (
  title: string,
  columns: ReadonlySet<Column>,
  pages: AsyncIterable<readonly ChangedRow[]>,
): Promise<Upload> => buildFile(title, listCells(columns, pages))

const buildFile = (title: string, pages: Parameters<typeof buildCsv>[1]): Promise<Upload> =>
  buildCsv({ name: 'before.csv', title: `Before: ${title}` }, pages)

async function* listCells(
  columns: ReadonlySet<Column>,
  pages: AsyncIterable<readonly ChangedRow[]>,
): AsyncGenerator<readonly (readonly string[])[]> {
  yield [beforeHeader(columns)]
  for await (const page of pages)
    yield await mapConcurrently(page, (changed) => toCells(columns, changed), CONCURRENT_LOOKUPS)
}

async function toCells(columns: ReadonlySet<Column>, changed: ChangedRow): Promise<string[]> {
  const hasAddress = listColumns(changed).has('httpServerAddress')
  const isFromDns = hasAddress && (await followsDns(changed.row.before.settings))
  return beforeCells(columns, changed, isFromDns)
}

/** Sends the person the file of what was before the change of a window. Returns how to undo that. */
export async function sendBefore(context: CommandContext, changed: ChangedRow): Promise<string> {
  const title = clip(oneLine(changed.row.name), 150)
  const columns = listColumns(changed)
  const file = await buildFile(title, [[beforeHeader(columns), await toCells(columns, changed)]])
  const how = `import the file with ${cmd('/hc import')}`
  // The change is done, whether or not Slack takes the file.
  return sendFiles(context, `This is what “${title}” was before. To undo the change, ${how}.`, [file]).then(
    () => `To undo this, ${how}: it’s in our DM.`,
    () => 'Slack didn’t take the file of what was before.',
  )
}
