import { splitChunks } from '@signalman/durable'
import { mapInSlices, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { choice } from '../../../bot/grammar/parameters.ts'
import { LISTED_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { JobKind, JobRun } from '../../../bot/jobs/job-kind.ts'
import type { Queue } from '../../../bot/jobs/job-queue.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, readFields } from '../../../bot/typed/fields.ts'
import { buildCsv } from '../../../domain/csv.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { globMatcher, toPattern } from '../../../domain/name-pattern.ts'
import { formatCount } from '../../../domain/wording.ts'
import { isNotFound } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { mapConcurrently } from '../bulk/map-concurrently.ts'
import { countChecks, textCard } from '../bulk/views.ts'
import { describeFilters, SERVICE_FILTERS } from '../parse.ts'
import { explainIncomplete, LIST_KEEPS_CHANGING, readAllChecks } from '../read-all-checks.ts'
import { countNone } from '../read-listing.ts'
import type { ServiceFilters } from '../rules/listing.ts'
import { explainEmpty } from '../views/list.ts'
import { exists } from '../write/write-row.ts'
import { COLUMNS, toCells } from './format.ts'

const EXPORT_KIND = 'health-checks.export'

/** How many checks are read in full before the person reads how far it is. */
const PAGE_SIZE = 100

/** Sends a file with every matching check. */
export const exportJob: JobKind<ServiceFilters> = {
  kind: EXPORT_KIND,
  verb: '/hc export',
  needs: 'operator',
  async run(run) {
    const { environment, now } = run.context
    const { file, ...written } = await buildExport(run, {
      name: `health-checks${environment === 'ote' ? '-ote' : ''}-${now.toISOString().slice(0, 10)}.csv`,
    })
    const only = describeFilters(run.details)
    const message = exportedView(written, only, environmentSuffix(environment))
    // An empty file could be taken for a backup.
    if (written.rows > 0 || !only) await run.upload(file)
    return { message, isDone: true }
  },
}

async function buildExport(
  { context, details, signal, showProgress }: JobRun<ServiceFilters>,
  { name: fileName }: { name: string },
) {
  const api = await context.api()
  const { name = '*', ...query } = details
  const list = await readAllChecks(api.healthChecks, signal, query)
  if (!list) throw new UserError(LIST_KEEPS_CHANGING)
  // The service finds a name only as it's written, and documents a `*` only at the end.
  const matches = globMatcher(toPattern(name))
  const slices = await mapInSlices(list.checks, (check) => (matches(check.name) ? [check] : []))
  const found = slices.flat()
  let rows = 0
  const readRow = (check: HealthCheck, ends: AbortSignal) =>
    readCells(api, check, AbortSignal.any([signal, ends]))
  const showRows = () =>
    showProgress(async () =>
      textCard([
        `Exporting health checks${environmentSuffix(context.environment)}: ${formatCount(rows)} of ${formatCount(found.length)}…`,
      ]),
    )
  async function* listCells() {
    await showRows()
    yield [COLUMNS]
    for (const page of splitChunks(found, PAGE_SIZE)) {
      const cells = (await mapConcurrently(page, readRow)).flat()
      rows += cells.length
      yield cells
      await showRows()
    }
  }
  const file = await buildCsv({ name: fileName, title: fileName }, listCells())
  return { file, rows, incomplete: explainIncomplete(list) }
}

/** Reads the details, because the list may not show everything. Empty if the check was deleted in the meantime. */
async function readCells(api: Api, row: HealthCheck, signal: AbortSignal): Promise<string[][]> {
  try {
    const [check, alerts] = await Promise.all([
      api.healthChecks.get(row.uuid, signal),
      api.alerts.list(row.uuid, signal),
    ])
    return [toCells(row.uuid, check, alerts)]
  } catch (error) {
    // A 404 for the alerts doesn't prove that the check was deleted, and a file without it would be called whole.
    if (!isNotFound(error) || (await exists(api, row.uuid))) throw error
    return []
  }
}

function exportedView(
  { rows, incomplete }: Pick<Awaited<ReturnType<typeof buildExport>>, 'rows' | 'incomplete'>,
  only: string,
  suffix: string,
): Message {
  return textCard([
    rows === 0
      ? only
        ? `No health checks${suffix} match, so there’s no file.`
        : `There are no health checks${suffix}, so the file has only the columns, to fill in and import.`
      : `Exported ${incomplete ? 'only ' : ''}${countChecks(rows)}${suffix} to the file below.`,
    ...(only ? [`Only ${only}.`] : []),
    ...(incomplete ? [incomplete] : []),
  ])
}

export const exportCommand = ({ queue }: { queue: Queue }): VerbDeclaration => ({
  line: '/hc export',
  // People name the format.
  parameters: [...LISTED_CHECKS, choice('format', { csv: 'csv' }, { usage: '' })],
  description: 'Send yourself the matching health checks and their alerts as a CSV file',
  needs: 'operator',
  isAct: true,
  flags: flagSpecs(SERVICE_FILTERS),
  async run(context, { flags }) {
    // Throws if no token is stored.
    const api = await context.api()
    const details = readFields(SERVICE_FILTERS, flags)
    const none = await countNone(api, details)
    if (none?.ofKind === 0) throw explainEmpty(details, none, context.environment)
    const only = describeFilters(details)
    const after = { format: 'csv', ...(only && { only }) }
    const decision = { verb: '/hc export', object: 'export of health checks', after }
    const id = await context.decide(decision, (decisions) =>
      queue.within(decisions).add(context, { kind: EXPORT_KIND, details }),
    )
    const state = (await queue.begin(context, id)) ? 'Started.' : 'Waits for other exports to end.'
    return textCard([`${state} I’ll send you the file in a DM.${only && ` Filter: ${only}.`}`])
  },
})
