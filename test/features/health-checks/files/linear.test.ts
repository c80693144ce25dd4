import { expect, it } from 'vitest'
import type { FileRow } from '../../../../src/features/health-checks/files/parse-file.ts'
import { planFile } from '../../../../src/features/health-checks/files/plan-file.ts'
import {
  addRecipient,
  buildAlertRequests,
  isOnTheWay,
  listRemovedRecipients,
  replaceRecipient,
  sameAlerts,
} from '../../../../src/features/health-checks/rules/alert-requests.ts'
import { createService, createSettings } from '../bulk/changes-run.ts'

const MANY = 5000

/** Counts how often anything is read from these, and from what is in them. */
function countReads<T extends object>(items: readonly T[]) {
  let count = 0
  const watch = <Item extends object>(item: Item): Item =>
    new Proxy(item, {
      get(target, key) {
        count += 1
        const value: unknown = Reflect.get(target, key)
        return typeof value === 'object' && value !== null ? watch(value) : value
      },
    })
  return { items: items.map(watch), count: () => count }
}

const row = (at: number, changes: Partial<FileRow> = {}): FileRow => ({
  ...{ line: at + 2, name: 'shop', uuid: undefined, set: { frequency: 30 }, refused: [] },
  ...{ alerts: undefined, hasLostAlerts: false, environment: undefined, ...changes },
})

const ROWS: Record<string, (at: number) => FileRow> = {
  'say the same about one check': (at) => row(at, { uuid: 'shop' }),
  'say the same about a new check': (at) => row(at, { name: 'new', set: createSettings('new') }),
  'have the name of as many checks': (at) => row(at, { name: 'web' }),
  'are about as many checks': (at) => row(at, { name: `other-${at}` }),
}

it.each(Object.entries(ROWS))(
  'plans a file whose rows %s with as many looks as it has rows',
  async (_, toRow) => {
    const count = async (size: number) => {
      const rows = countReads(Array.from({ length: size }, (_row, at) => toRow(at)))
      const namesakes = Array.from({ length: size }, (_check, at) => ({
        uuid: `${at}`,
        ...createSettings('web'),
      }))
      const checks = countReads([{ uuid: 'shop', ...createSettings('shop') }, ...namesakes])
      const { api } = createService(['shop'])
      api.healthChecks.listAll = async function* () {
        yield { results: checks.items, total: size + 1, unreadable: 0 }
      }
      // Cast: these are all that a plan uses.
      await planFile(api as unknown as Parameters<typeof planFile>[0], {
        rows: rows.items,
        bad: [],
        ignored: [],
      })
      return rows.count() + checks.count()
    }
    const [few, many] = [await count(MANY / 50), await count(MANY)]
    expect(many).toBeLessThan(60 * few)
    expect(many).toBeLessThan(100 * MANY)
  },
)

it('compares the recipients and alerts of a check with as many looks as there are', () => {
  const toAlerts = (size: number, from = 0) =>
    Array.from({ length: size }, (_, at) => ({
      ...{ id: `${at}`, type: 'EMAIL', recipients: [`person-${at + from}@example.com`] },
    }))
  const alerts = countReads(toAlerts(MANY))
  const wanted = countReads(toAlerts(MANY, MANY / 2))
  expect(buildAlertRequests(alerts.items, wanted.items)).toHaveLength(MANY / 2)
  expect(isOnTheWay(alerts.items, alerts.items, wanted.items)).toBe(true)
  expect(sameAlerts(alerts.items, wanted.items)).toBe(false)
  expect(listRemovedRecipients(alerts.items, wanted.items)).toHaveLength(MANY / 2)
  expect(replaceRecipient(alerts.items, 'person-0@example.com', undefined)).toHaveLength(MANY - 1)
  expect(addRecipient(alerts.items, 'zoe@example.com')).toHaveLength(MANY)
  expect(alerts.count() + wanted.count()).toBeLessThan(300 * MANY)
})
