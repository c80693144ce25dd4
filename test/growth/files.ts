import { parseFile } from '../../src/features/health-checks/files/parse-file.ts'
import { planFile } from '../../src/features/health-checks/files/plan-file.ts'
import type { Api } from '../../src/service/service.ts'
import { createHostileShapes } from '../hostile-texts.ts'
import { texts, type Work, work } from './grow.ts'
import { fill } from './texts.ts'

const HEADER = 'name,customer_id,protocol,target,port,frequency,alerts\n'
const MAX_ROWS = 5000
/** The largest record that is read. */
const MAX_RECORD = 192 * 1024 - 1000

const uuid = (nth: number): string => `3f2504e0-4f89-41d3-9a0c-${nth.toString(16).padStart(12, '0')}`
export const checks = (count: number, name = (nth: number) => `storefront ${nth} eu-west`) =>
  Array.from({ length: count }, (_, nth) => ({
    ...{ uuid: uuid(nth), name: name(nth), status: nth % 5 === 0 ? 'UNHEALTHY' : 'HEALTHY', customerId: 5 },
    ...{ protocol: 'HTTPS', target: `shop-${nth}.example.com`, port: 443, frequency: 60 },
  }))

/** A service with these checks, each with an alert. */
function createApi(all: ReturnType<typeof checks>): Api {
  const byUuid = new Map(all.map((check) => [check.uuid, check]))
  const api = {
    healthChecks: {
      async *listAll() {
        yield { results: all, total: all.length, unreadable: 0 }
      },
      get: async (id: string) => byUuid.get(id),
    },
    alerts: { list: async () => [{ uuid: 'a', type: 'EMAIL', recipients: ['ann@example.com'] }] },
  }
  // What planning a file calls.
  return api as unknown as Api
}

const rows = (count: number, write: (nth: number) => string): string =>
  HEADER + Array.from({ length: count }, (_, nth) => `${write(nth)}\n`).join('')
const row = (name: string, target: string, alerts = ''): string =>
  `${name},5,HTTPS,${target},443,60,${alerts}`
const many = (count: number, write: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => write(nth)).join(';')

/** CSV files, from their bytes to the plan of what they change. */
export function fileWorks(seed: number, everyNth: number): Work[] {
  const known = createApi(checks(MAX_ROWS))
  const none = createApi([])
  const plan = (api: Api) => async (text: string) => planFile(api, await parseFile(Buffer.from(text)))
  const hostile = createHostileShapes(seed, 20, everyNth)
  return [
    work(
      { name: 'a row of a CSV file', limit: MAX_RECORD },
      texts(hostile, (text) => HEADER + text),
      (text) => parseFile(Buffer.from(text)),
    ),
    work(
      { name: 'a cell of a CSV file', limit: MAX_RECORD },
      {
        'different recipients': (size) =>
          HEADER + row('a', 'b', `"${fill(size, (nth) => `a${nth}@b.example;`)}"`),
        'recipients as JSON': (size) =>
          `${HEADER}${row('a', 'b')}"[{""type"":""EMAIL"",""recipients"":[${fill(size, (nth) => `""a${nth}@b.example"",`)}""z@b.example""]}]"`,
        ...texts(hostile, (text) => HEADER + row('a', 'b', `"${text.replaceAll('"', '')}"`)),
      },
      (text) => parseFile(Buffer.from(text)),
    ),
    work(
      { name: 'columns of a CSV file', limit: 4000, unit: 'columns' },
      {
        'different columns': (size) =>
          `name,${Array.from({ length: size }, (_, nth) => nth.toString(36)).join()}\n${'a,'.repeat(size)}\n`,
        'equal columns': (size) => `name${',a'.repeat(size)}\n${'a,'.repeat(size)}\n`,
        'many rows of many columns': (size) =>
          `name${',a'.repeat(size)}\n${`${'a,'.repeat(size)}\n`.repeat(200)}`,
      },
      (text) => parseFile(Buffer.from(text)),
    ),
    work(
      { name: 'a CSV file', limit: 10 * 1024 * 1024, unit: 'bytes' },
      {
        'empty lines': (size) => HEADER + '\n'.repeat(size),
        'cells over many lines': (size) =>
          HEADER + fill(size, (nth) => `"${'a\n'.repeat(900)}${nth}",5,HTTPS,b,443,60,\n`),
        'rows of 200 KB': (size) => HEADER + fill(size, () => `${'a,'.repeat(100_000)}\n`),
        'cells of quotes': (size) => HEADER + fill(size, () => `"${'""'.repeat(50_000)}",5\n`),
      },
      (text) => parseFile(Buffer.from(text)),
    ),
    work(
      { name: 'a CSV file of new checks, planned', limit: MAX_ROWS, unit: 'rows' },
      {
        'different rows': (size) => rows(size, (nth) => row(`web-${nth}`, `a${nth}.example.com`)),
        'equal rows': (size) => rows(size, () => row('web', 'a.example.com')),
        'rows of one name': (size) => rows(size, (nth) => row('web', `a${nth}.example.com`)),
        'rows without a name': (size) => rows(size, () => row('', 'a')),
        'bad rows': (size) => rows(size, (nth) => `web-${nth},x,FTP,<,0,1,a@`),
        'equal rows of 5 recipients': (size) =>
          rows(size, () =>
            row(
              'web',
              'a.example.com',
              many(5, (nth) => `a${nth}@b.example`),
            ),
          ),
      },
      plan(none),
    ),
    work(
      { name: 'a CSV file of known checks, planned', limit: MAX_ROWS, unit: 'rows' },
      {
        'different rows': (size) =>
          rows(size, (nth) => row(`storefront ${nth} eu-west`, `a${nth}.example.com`)),
        'equal rows': (size) => rows(size, () => row('storefront 1 eu-west', 'a.example.com')),
        'rows of one check': (size) =>
          rows(size, (nth) => row('storefront 1 eu-west', `a${nth}.example.com`)),
        'nothing changed': (size) =>
          rows(size, (nth) => row(`storefront ${nth} eu-west`, `shop-${nth}.example.com`)),
        'rows by UUID': (size) =>
          `uuid,name\n${Array.from({ length: size }, (_, nth) => `${uuid(nth)},x${nth}\n`).join('')}`,
      },
      plan(known),
    ),
  ]
}
