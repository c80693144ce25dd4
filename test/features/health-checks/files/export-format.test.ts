import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatExportHeader,
  formatExportRows,
} from '../../../../src/features/health-checks/files/export-checks.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import type { Alert } from '../../../../src/service/alerts.ts'
import type { HealthCheck } from '../../../../src/service/health-checks.ts'
import { ANY_CHARACTER } from '../../../any-character.ts'
import { quickOrLong } from '../../../long.ts'

/** Any name that the service accepts: 1 to 255 characters that aren't all blank. */
const name = fc
  .oneof(
    fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom(
        '=',
        '+',
        "'",
        '"',
        ',',
        ';',
        '\t',
        '\r',
        '\n',
        '\0',
        ' ',
        'a',
        '-',
        ':',
        '#',
        '|',
      ),
      minLength: 1,
      maxLength: 30,
    }),
    fc.constantFrom(
      'null',
      'true',
      '007',
      '1e3',
      '~',
      '- a',
      '{a: b}',
      '*x',
      '&x',
      '!x',
      '%x',
      '@x',
      '`x`',
      '2026-11-20',
      '\ufeffx',
      'x\r\ny',
    ),
  )
  .filter((text) => text.trim() !== '' && text.length <= 255)

const address = fc.constantFrom(
  'ann@example.com',
  'bob@example.com',
  "o'neil+x@example.com",
  'a.b-c@sub.example.com',
)

const check = fc.record({
  uuid: fc.uuid(),
  name,
  status: fc.constant('HEALTHY'),
  protocol: fc.constantFrom('TCP', 'HTTP', 'HTTPS'),
  target: fc.constantFrom('www.example.com', '192.0.2.10', '2001:db8::1'),
  port: fc.integer({ min: 1, max: 65_535 }),
  frequency: fc.integer({ min: 1, max: 86_400 }),
  customerId: fc.integer({ min: 1, max: 1_000_000 }),
})
const alerts = fc.array(
  fc
    .uniqueArray(address, { minLength: 1, maxLength: 4 })
    .map((recipients): Alert => ({ id: '1', type: 'EMAIL', recipients })),
  { maxLength: 3 },
)

describe('the exported format', () => {
  it('round-trips checks with any name, and their alerts, through an import', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(check, alerts), {
          minLength: 1,
          maxLength: 5,
          selector: ([{ name, uuid }]) => name + uuid,
        }),
        async (all) => {
          const rows = all.map(([check, alerts]) => ({
            check: {
              ...check,
              ...(check.protocol === 'HTTPS' && { verifySsl: false }),
            } satisfies HealthCheck,
            alerts,
          }))
          const text = formatExportHeader(true) + formatExportRows(rows)
          const { rows: importedRows, bad } = await readFile(Buffer.from(text))
          expect(bad).toEqual([])
          expect(
            importedRows.map(({ patch: { address: _, ...fields }, uuid, alerts: recipientLists }) => ({
              ...fields,
              uuid,
              recipientLists: recipientLists?.map(({ recipients }) => recipients),
            })),
          ).toEqual(
            rows.map(({ check: { uuid, status, ...body }, alerts: recipientLists }) => ({
              ...body,
              uuid,
              recipientLists: recipientLists.map(({ recipients }) => recipients),
            })),
          )
        },
      ),
      { numRuns: quickOrLong('NAMES', { quick: 100, long: 10_000 }) },
    )
  })
})
