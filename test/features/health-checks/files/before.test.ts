import { Resolver } from 'node:dns/promises'
import { Readable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { createNameGroups, previewView } from '../../../../src/features/health-checks/bulk/views.ts'
import { buildBefore } from '../../../../src/features/health-checks/files/before.ts'
import {
  type ChangedRow,
  countBeforeBytes,
  listColumns,
} from '../../../../src/features/health-checks/files/format.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import { createSettings } from '../bulk/changes-run.ts'

it('is measured in the preview as it will be sent', async () => {
  const rows = [1, 2, 3].flatMap((line): Row[] => {
    const row = { line, name: `shop “${line}”`, uuid: `uuid-${line}` }
    const before = {
      settings: { ...createSettings('=shop'), httpServerAddress: '192.0.2.7', protocol: 'HTTPS' },
      alerts: [{ id: '1', type: 'EMAIL', recipients: Array(2000).fill(`.“${line}”@example.com`) }],
    }
    return [
      { ...row, do: 'delete', before },
      { ...row, do: 'edit', before, set: { frequency: 30 } },
    ]
  })
  const sizes = rows.map(countBeforeBytes)
  const changed = rows as ChangedRow['row'][]
  const columns = new Set(changed.flatMap((row) => [...listColumns({ row })]))
  const about = { title: 'x', environment: 'production', columns } as const
  const { bytes } = await buildBefore(about, Readable.from([changed.map((row) => ({ row }))]))
  const measured = sizes.reduce((sum, size) => sum + size)
  expect(Math.abs(bytes - measured)).toBeLessThan(500)
  expect(bytes).toBeGreaterThan(100_000)
})

it('doesn’t wait for DNS for each check if DNS doesn’t answer', async () => {
  const asked = vi.spyOn(Resolver.prototype, 'resolve4').mockRejectedValue({ code: 'ETIMEOUT' })
  vi.spyOn(Resolver.prototype, 'resolve6').mockRejectedValue({ code: 'ETIMEOUT' })
  try {
    const settings = { ...createSettings('web'), protocol: 'HTTPS', httpServerAddress: '192.0.2.7' }
    const rows = Array.from({ length: 500 }, (_, index): ChangedRow => {
      const named = { line: index + 1, name: 'web', uuid: `uuid-${index}` }
      return { row: { ...named, do: 'delete', before: { settings, alerts: [] } } }
    })
    const columns = listColumns(rows[0] as ChangedRow)
    const about = { title: 'x', environment: 'production', columns } as const
    const { body } = await buildBefore(about, Readable.from([rows.slice(0, 250), rows.slice(250)]))
    expect(String(body).match(/192\.0\.2\.7/g)).toHaveLength(500)
    expect(asked.mock.calls.length).toBeLessThan(50)
  } finally {
    vi.restoreAllMocks()
  }
})

it.each([false, true])(
  'is promised before a deletion only if an import can read it (too large: %s)',
  (isTooLarge) => {
    const plan = {
      verb: '/hc delete',
      title: 'Delete all',
      account: 'A',
      leftOut: 0,
      unchanged: 0,
      addresses: 0,
    }
    const counts = { create: 0, edit: 0, delete: 70 }
    const groups = createNameGroups()
    const shown = previewView('job', { ...plan, counts, groups, lostAlerts: 0, isTooLarge }, 'production')
    expect(JSON.stringify(shown.blocks).includes('You get a file that you can import')).toBe(!isTooLarge)
    expect(shown.text.includes('larger than the 10 MB that an import reads')).toBe(isTooLarge)
  },
)
