import type { HealthCheck } from '../../../api/health-checks.ts'
import { bodyFrom, fieldsOf } from '../changes/change-fields.ts'
import { COLUMNS, cellsOf } from './columns.ts'
import type { Row, UnusualRow } from './read-file.ts'

/** The row with its check as that is, where it says of it what an export says, be that what nobody could create here. */
export function asExported({ record, uuid, alerts }: UnusualRow, check: HealthCheck): Row | undefined {
  const cells = cellsOf(check, '')
  const isAsExported = COLUMNS.every(
    ({ input }, index) =>
      input === undefined ||
      input === 'uuid' ||
      input === 'alerts' ||
      !record.has(input) ||
      record.cell(input) === cells[index],
  )
  const body = bodyFrom(fieldsOf(check, check.httpServerAddress))
  if (!isAsExported || !body) return undefined
  const states = { serverAddress: false, verifySsl: false }
  return { line: record.line, body, states, uuid, alerts, isAsItIs: true }
}
