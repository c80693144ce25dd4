import { expect, it } from 'vitest'
import {
  formatExportHeader,
  formatExportRows,
} from '../../../../src/features/health-checks/files/export-checks.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import type { Alert } from '../../../../src/service/alerts.ts'

const mail = (...recipients: string[]): Alert => ({ id: '1', type: 'EMAIL', recipients })
const CHECK = {
  uuid: 'u',
  name: 'web',
  status: 'HEALTHY',
  protocol: 'TCP',
  target: 'www.example.com',
  port: 25,
  frequency: 60,
  customerId: 1,
}

/** Exports alerts to a file and reads them back. Undefined if importing the file leaves the current alerts unchanged. */
async function readBack(alerts: readonly Alert[]) {
  const text = formatExportHeader(true) + formatExportRows([{ check: CHECK, alerts }])
  const { rows: readRows, bad } = await readFile(Buffer.from(text))
  expect(bad).toEqual([])
  expect(readRows).toHaveLength(1)
  return readRows[0]?.alerts
}

it.each([
  { flaw: 'has a type other than EMAIL', alerts: [{ ...mail('ann@example.com'), type: 'SMS' }] },
  { flaw: 'has no recipients', alerts: [mail(), mail('ann@example.com')] },
  { flaw: 'has a recipient without an @', alerts: [mail('ops')] },
  { flaw: 'has a recipient whose domain has no dot', alerts: [mail('a@host')] },
  { flaw: 'has the same recipient twice', alerts: [mail('ann@example.com', 'Ann@example.com')] },
  { flaw: 'has an unreadable part', alerts: [{ ...mail('ann@example.com'), unreadable: 1 }] },
])(
  'doesn’t export a check’s alerts if one of them $flaw, so an import leaves them unchanged',
  async ({ alerts }) => {
    expect(await readBack(alerts)).toBeUndefined()
  },
)

it('reads email alerts back from an exported file, even if their type is empty', async () => {
  const alerts = [mail('ann@example.com', 'bob@example.com'), { ...mail('cat@example.com'), type: '' }]
  const expected = alerts.map(({ recipients }) => ({ type: 'EMAIL', recipients }))
  expect(await readBack(alerts)).toEqual(expected)
  expect(await readBack([])).toEqual([])
})
