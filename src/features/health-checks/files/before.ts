import { buildCsv } from '../../../domain/csv.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { mapConcurrently } from '../bulk/map-concurrently.ts'
import { followsDns } from '../write/server-address.ts'
import { beforeCells, beforeHeader, type ChangedRow, type Column, listColumns } from './format.ts'

const CONCURRENT_LOOKUPS = 16
/** After so many domains in a row for which DNS didn't answer, it isn't asked about the others: a deletion waits for the file. */
const MAX_UNANSWERED = 16

interface About {
  readonly title: string
  readonly environment: Environment
  readonly columns: ReadonlySet<Column>
}

export type BeforeFile = Awaited<ReturnType<typeof buildCsv>>

/** The file of what was before a change, with these columns. `pages` are its rows. */
export const buildBefore = (about: About, pages: AsyncIterable<readonly ChangedRow[]>): Promise<BeforeFile> =>
  buildCsv(
    {
      name: about.environment === 'ote' ? 'before-ote.csv' : 'before.csv',
      title: `Before: ${about.title}${environmentSuffix(about.environment)}`,
    },
    listCells(about, pages),
  )

async function* listCells(
  { environment, columns }: About,
  pages: AsyncIterable<readonly ChangedRow[]>,
): AsyncGenerator<readonly (readonly string[])[]> {
  yield [beforeHeader(columns)]
  let unanswered = 0
  async function isFromDns({ row }: ChangedRow): Promise<boolean> {
    if (unanswered >= MAX_UNANSWERED) return false
    const answer = await followsDns(row.before.settings)
    unanswered = answer === undefined ? unanswered + 1 : 0
    return answer ?? false
  }
  for await (const page of pages)
    yield await mapConcurrently(
      page,
      async (changed) => {
        const hasAddress = listColumns(changed).has('httpServerAddress')
        const options = { environment, isFromDns: hasAddress && (await isFromDns(changed)) }
        return beforeCells(columns, changed, options)
      },
      CONCURRENT_LOOKUPS,
    )
}
