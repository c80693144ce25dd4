import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { exportJob } from '../../../../src/features/health-checks/files/export-checks.ts'
import { UNWRITABLE_DISKS } from '../../../acts/unwritable-disk.ts'

const MAX_FILE_BYTES = 64 * 1024

const limitFiles = (bytes: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`])

const canLimitFiles = UNWRITABLE_DISKS.some(
  ({ name, isSupported }) => name.includes('prlimit') && isSupported,
)

it.skipIf(!canLimitFiles)('doesn’t send an export of which the disk took only a part', async () => {
  const check = { uuid: 'c-1', name: 'x'.repeat(2 * MAX_FILE_BYTES), alerts: [] }
  const uploads: number[] = []
  const run = {
    details: { withAlerts: false },
    signal: new AbortController().signal,
    context: {
      environment: 'production',
      now: new Date(),
      api: async () => ({
        healthChecks: {
          async *listAll() {
            yield { total: 1, unreadable: 0, results: [check] }
          },
        },
      }),
    },
    showProgress: async () => undefined,
    upload: async ({ bytes }: { bytes: number }) => void uploads.push(bytes),
  }
  const knownAddresses = { in: () => ({ listShows: 'none', find: async () => new Map() }) }
  const exporting = exportJob(knownAddresses as never)
  await exporting.run(run as never)
  expect(uploads).toEqual([expect.any(Number)])
  limitFiles(MAX_FILE_BYTES)
  try {
    await expect(exporting.run(run as never)).rejects.toThrow(/EFBIG/)
  } finally {
    limitFiles('unlimited')
  }
  expect(uploads).toHaveLength(1)
})
