import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BOM, csvText } from '../../../../src/domain/csv.ts'
import {
  beforeCells,
  beforeHeader,
  type ChangedRow,
  COLUMNS,
  listColumns,
  toCells,
} from '../../../../src/features/health-checks/files/format.ts'
import { parseFile } from '../../../../src/features/health-checks/files/parse-file.ts'
import { planFile } from '../../../../src/features/health-checks/files/plan-file.ts'
import {
  type CheckField,
  FIELDS,
  type Patch,
  protocolHasField,
  type Settings,
} from '../../../../src/features/health-checks/rules/fields.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import { applyPatch, listDiffering } from '../../../../src/features/health-checks/rules/settings.ts'
import type { Api } from '../../../../src/service/service.ts'
import { ANY_CHARACTER } from '../../../any-character.ts'

const HEADER = BOM + csvText([COLUMNS])

const hex = (index: number): string => `7e57ed00-0000-4000-8000-${index.toString(16).padStart(12, '0')}`
const name = fc.oneof(
  fc.constantFrom(
    'web',
    'Web',
    'a,b',
    '=cmd|calc!A1',
    "'quoted'",
    'two\nlines',
    'nul\0',
    '?',
    'none',
    '#',
    '"',
  ),
  fc.constant('n'.repeat(300)),
  fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== ''),
)
const address = fc.constantFrom('192.0.2.7', '2001:db8::1', 'a-name.example.com')
const recipients = fc.uniqueArray(
  fc.constantFrom(
    ...['ann@example.com', 'bo@example.com', 'cy+x@example.com'],
    ...['ops@mailhost', 'nobody', 'a, b; c', '"quoted"', 'Ann <ann@example.com>', '?', 'none', ''],
  ),
)
const settings = fc
  .record({
    name,
    protocol: fc.constantFrom('TCP', 'HTTP', 'HTTPS', 'FTP'),
    target: fc.constantFrom(
      ...['www.example.com', '192.0.2.1', '2001:db8::2', 'xn--bcher-kva.example'],
      // What people can't set, but the service may have.
      ...['https://ann:secret@www.example.com/', 'not a host', 'http://www.example.com:8080/'],
    ),
    port: fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom(0, 70_000)),
    frequency: fc.constantFrom(1, 60, 86_400, 86_401, 604_800, 0, 99_999_999),
    customerId: fc.constantFrom(1, 2, 1000, 0),
    httpServerAddress: fc.option(address, { nil: undefined }),
    verifySsl: fc.boolean(),
  })
  .map((all): Settings => applyPatch({}, all))
const checks = fc.array(fc.record({ settings, lists: fc.array(recipients, { maxLength: 3 }) }), {
  minLength: 1,
  maxLength: 8,
})
type Checks = readonly { settings: Settings; lists: readonly string[][] }[]

function createService(all: Checks): Api {
  const results = all.map((each, index) => ({ uuid: hex(index), ...each.settings }))
  const find = (uuid: string) => results.findIndex((check) => check.uuid === uuid)
  return {
    healthChecks: {
      listAll: () => [{ results, total: results.length, unreadable: 0 }],
      get: async (uuid: string) => results[find(uuid)],
    },
    alerts: {
      list: async (uuid: string) =>
        (all[find(uuid)]?.lists ?? []).map((list, id) => ({
          id: String(id),
          type: 'EMAIL',
          recipients: list,
        })),
    },
  } as unknown as Api
}

const plan = async (service: Api, file: string | Uint8Array) =>
  planFile(service, await parseFile(Buffer.from(file)))

it('changes nothing when an export is imported unedited, whatever the names are, and if there are twins', async () => {
  await fc.assert(
    fc.asyncProperty(checks, async (all) => {
      const rows = all.map(({ settings: each, lists }, index) =>
        toCells(
          hex(index),
          each,
          lists.map((list) => ({ type: 'EMAIL', recipients: list })),
        ),
      )
      expect(await plan(createService(all), HEADER + csvText(rows))).toEqual({
        rows: [],
        leftOut: [],
        unchanged: all.length,
        unknown: 0,
      })
    }),
  )
})

it('creates deleted checks as they were when the file of what was before is imported', async () => {
  await fc.assert(
    fc.asyncProperty(checks, fc.boolean(), async (all, isFromDns) => {
      const named = new Map(all.map((each) => [`${each.settings.customerId} ${each.settings.name}`, each]))
      const deleted = [...named.values()].filter(
        ({ settings: first }, index, others) =>
          others.findIndex(({ settings: other }) => isAlike(first, other)) === index,
      )
      const rows = deleted.map(({ settings: before, lists }, index) => {
        const alerts = lists.map((list, id) => ({ id: String(id), type: 'EMAIL', recipients: list }))
        const row: Row & { do: 'delete' } = {
          do: 'delete',
          line: index,
          name: before.name ?? '',
          uuid: hex(index),
          before: { settings: before, alerts },
        }
        return { row, isFromDns }
      })
      const planned = await plan(createService([]), toFile(rows))
      expect(planned.leftOut).toEqual([])
      for (const [index, row] of planned.rows.entries()) {
        const { settings: before, lists } = deleted[index] ?? {}
        const expected = isFromDns ? { ...before, httpServerAddress: undefined } : before
        expect(row.do === 'create' && listDiffering(row.to, expected ?? {})).toEqual([])
        expect(row.do === 'create' && row.alerts.map((each) => each.recipients)).toEqual(lists)
      }
      expect(planned.rows).toHaveLength(deleted.length)
    }),
  )
})

function toFile(rows: readonly (ChangedRow & { isFromDns: boolean })[]): Buffer {
  const columns = new Set(rows.flatMap((changed) => [...listColumns(changed)]))
  const cells = rows.map((changed) =>
    beforeCells(columns, changed, { ...changed, environment: 'production' }),
  )
  return Buffer.from(csvText([beforeHeader(columns), ...cells]))
}

/** Whether two checks can't both be created. */
const isAlike = (left: Settings, right: Settings): boolean =>
  left.customerId === right.customerId && fold(left.name) === fold(right.name)
const fold = (text = ''): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** New values of any settings, as an edit or a file sets them. */
const patch = fc.record(
  {
    name,
    protocol: fc.constantFrom('TCP', 'HTTP', 'HTTPS'),
    target: fc.constantFrom('new.example.com', '192.0.2.9'),
    port: fc.integer({ min: 1, max: 65_535 }),
    frequency: fc.constantFrom(30, 90_000),
    customerId: fc.constantFrom(2, 3),
    httpServerAddress: fc.constantFrom('192.0.2.8', null),
    verifySsl: fc.boolean(),
  },
  { requiredKeys: [] },
)

it('puts back exactly what an edit changed, and nothing that somebody else has changed since', async () => {
  await fc.assert(
    fc.asyncProperty(settings, patch, patch, async (before, set: Patch, foreign: Patch) => {
      const row = {
        do: 'edit',
        line: 1,
        name: before.name ?? '',
        uuid: hex(0),
        before: { settings: before },
        set,
      } as const
      const after = applyPatch(before, set)
      const changed = listDiffering(before, after)
      // A protocol decides which other settings there are, so nobody else changes it here.
      const { protocol: _, ...rest } = foreign
      const others: Patch = Object.fromEntries(
        Object.entries(rest).filter(([field]) => !changed.includes(field as CheckField)),
      )
      const now = applyPatch(after, others)
      // The alerts of another check were changed with it, so that the file has a column for them.
      const ann = { id: '1', type: 'EMAIL', recipients: ['ann@example.com'] }
      const unalerted = {
        ...{
          row: { ...row, uuid: hex(1), before: { settings: before, alerts: [ann] }, set: {}, alerts: [] },
        },
        isFromDns: false,
      }
      const { rows, leftOut } = await plan(
        createService([
          { settings: now, lists: [['bo@example.com']] },
          { settings: before, lists: [] },
        ]),
        toFile([{ row, isFromDns: false }, unalerted]),
      )
      expect(leftOut).toEqual([])
      const [undo, realerted] = [hex(0), hex(1)].map((uuid) =>
        rows.find((each) => each.do === 'edit' && each.uuid === uuid),
      )
      expect(undo?.do === 'edit' && undo.alerts).toBeFalsy()
      expect(realerted).toMatchObject({ set: {}, alerts: [{ recipients: ann.recipients }] })
      const restored = undo?.do === 'edit' ? applyPatch(now, undo.set) : now
      for (const field of FIELDS)
        if (changed.includes(field)) expect(restored[field], field).toEqual(before[field])
        else if (protocolHasField(field, restored.protocol) && protocolHasField(field, now.protocol))
          expect(restored[field], field).toEqual(now[field])
    }),
  )
})
