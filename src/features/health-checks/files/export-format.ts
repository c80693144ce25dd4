import { stringify } from 'yaml'
import { BOM, csvText } from '../../../domain/csv.ts'
import type { Alert } from '../../../service/alerts.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { alertCell, isReadBack } from './alert-cell.ts'
import { COLUMN_NAMES, cellsOf } from './columns.ts'

/** A check as it is exported; `alerts` is undefined where they were not asked for. */
export interface ExportedCheck {
  check: HealthCheck
  alerts: readonly Alert[] | undefined
}

/** How a file of health checks is written. */
export interface ExportFormat {
  readonly ending: string
  head(withAlerts: boolean): string
  rows(checks: readonly ExportedCheck[]): string
}

const withoutLast = (cells: readonly string[], withAlerts: boolean): readonly string[] =>
  withAlerts ? cells : cells.slice(0, -1)

const CSV: ExportFormat = {
  ending: 'csv',
  head: (withAlerts) => BOM + csvText([withoutLast(COLUMN_NAMES, withAlerts)]),
  rows: (checks) =>
    csvText(
      checks.map(({ check, alerts }) =>
        withoutLast(cellsOf(check, alertCell(alerts ?? [])), alerts !== undefined),
      ),
    ),
}

const YAML: ExportFormat = {
  ending: 'yaml',
  head: () =>
    '# Health checks. Change this file and give it to /hc import: it shows what would change first.\n',
  rows: (checks) => (checks.length === 0 ? '' : stringify(checks.map(entryOf), { lineWidth: 0 })),
}

function entryOf({ check, alerts }: ExportedCheck): Record<string, unknown> {
  const { name, protocol, target, port, frequency, customerId, httpServerAddress, verifySsl, uuid } = check
  const isReadable = alerts && isReadBack(alerts)
  return {
    name,
    protocol,
    target,
    port,
    frequency,
    customer_id: customerId,
    ...(httpServerAddress !== undefined && { http_server_address: httpServerAddress }),
    ...(verifySsl !== undefined && { verify_ssl: verifySsl }),
    ...(isReadable && { alerts: alerts?.map(({ recipients }) => recipients) }),
    uuid,
  }
}

export const FORMATS = { csv: CSV, yaml: YAML } as const satisfies Record<string, ExportFormat>
