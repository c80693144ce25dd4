import { Resolver } from 'node:dns/promises'
import { Readable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { preview } from '../../../../src/features/health-checks/bulk/preview.ts'
import type { BulkDeps } from '../../../../src/features/health-checks/bulk/start.ts'
import { buildBefore } from '../../../../src/features/health-checks/files/before.ts'
import {
  type ChangedRow,
  countBeforeBytes,
  listColumns,
} from '../../../../src/features/health-checks/files/format.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import { KEY_A } from '../../../databases/databases.ts'
import { addJob, createJobKind, createService, createSettings } from '../bulk/changes-run.ts'

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

it('is whole, or nothing is deleted: a check with more recipients than it can hold stays, and a plan that is too large isn’t shown', async () => {
  await using store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const list = (count: number) => [
    { type: 'EMAIL', recipients: Array.from({ length: count }, (_, index) => `person-${index}@example.com`) },
    { type: 'EMAIL', recipients: ['ann@example.com'] },
  ]
  const { api, checks } = createService(['shop', 'blog'], { alerts: list(10_000) })
  // The alerts have grown since it was planned.
  const before = { settings: createSettings('shop'), alerts: checks.get('shop')?.alerts ?? [] }
  const row: Row = { do: 'delete', line: 1, name: 'shop', uuid: 'shop', before }
  const { run } = await addJob(store, [row], api)
  await expect(createJobKind(store).run(run)).rejects.toThrow('more recipients than a file')
  expect([...checks.keys()]).toEqual(['shop', 'blog'])
  const rows = Array.from(
    { length: 100 },
    (): Row => ({
      ...row,
      before: {
        ...before,
        alerts: before.alerts.map((alert) => ({ ...alert, recipients: alert.recipients.slice(0, 5000) })),
      },
    }),
  )
  const plan = { verb: '/hc delete', title: 'Delete all', account: 'A', rows, leftOut: [], unchanged: 0 }
  // Cast: it asks for nothing before it knows that.
  const asked = { environment: 'production' } as Parameters<typeof preview>[1]
  await expect(preview({} as BulkDeps, asked, plan)).rejects.toThrow('larger than the 10 MB')
})
