import { expect, it } from 'vitest'
import { parseAlertCell, toCells } from '../../../../src/features/health-checks/files/format.ts'
import { parseFile } from '../../../../src/features/health-checks/files/parse-file.ts'
import { planFile } from '../../../../src/features/health-checks/files/plan-file.ts'
import type { HealthCheck } from '../../../../src/service/health-checks.ts'
import type { Api } from '../../../../src/service/service.ts'
import { WEB } from '../web-settings.ts'

const uuidOf = (index: number): string => `7e57ed00-0000-4000-8000-00000000000${index}`
const check = (index: number, name: string, customerId = 1): HealthCheck => ({
  ...{ uuid: uuidOf(index), status: 'HEALTHY' },
  ...{ ...WEB, name, customerId },
})
const CHECKS = [
  check(1, 'web'),
  check(2, 'mail', 1),
  { ...check(3, 'mail', 2), verifySsl: false },
  check(4, 'twin'),
  check(5, 'twin'),
]
const ANN = { id: '1', type: 'EMAIL', recipients: ['ann@example.com'] }

const createApi = (unreadable = 0) =>
  ({
    healthChecks: {
      listAll: () => [{ results: CHECKS, total: CHECKS.length + unreadable, unreadable }],
      get: async (uuid: string) => CHECKS.find((each) => each.uuid === uuid),
    },
    alerts: { list: async (uuid: string) => (uuid === uuidOf(1) ? [ANN] : []) },
  }) as unknown as Api

/** What an import of this file would do: the rows, and what it leaves out. `unreadable`: rows that the service lists in another form. */
async function plan(file: string | Buffer, unreadable = 0) {
  const { rows, leftOut } = await planFile(createApi(unreadable), await parseFile(Buffer.from(file)))
  return [
    ...rows.map((row) => [
      row.line,
      row.do === 'create' ? row.to : row.do === 'edit' && [row.uuid, row.set],
      ...(row.do === 'edit' && row.alerts ? [row.alerts.map(({ recipients }) => recipients)] : []),
    ]),
    ...leftOut.map(({ line, reason }) => [line, reason]),
  ]
}

const NEW = 'HTTPS,new.example.com,443,60'
const USUAL = { frequency: 60, customerId: 1 }
const SAME = 'Line 2 is about the same health check.'

it.each<[why: string, file: string | Buffer, planned: unknown[]]>([
  [
    'finds a check by name and customer',
    'name,customer_id,port\nmail,2,25',
    [[2, [uuidOf(3), { customerId: 2, port: 25 }]]],
  ],
  [
    'asks which of two checks is meant',
    'name,port\ntwin,25',
    [[2, 'Several health checks have this name. Add their UUIDs.']],
  ],
  [
    'ignores empty cells behind the last column, and leaves out a row with other ones',
    'name,customer_id,port\nmail,2,25,,,\nmail, old,2,25',
    [
      [2, [uuidOf(3), { customerId: 2, port: 25 }]],
      [3, 'It has more cells than the first line. A cell that contains a separator needs quotes.'],
    ],
  ],
  [
    'takes the UUID of one of two',
    `uuid,name,port\n${uuidOf(5)},twin,25`,
    [[2, [uuidOf(5), { name: 'twin', port: 25 }]]],
  ],
  [
    'refuses two rows about a check',
    `uuid,port\n${uuidOf(1)},25\n${uuidOf(1)},26`,
    [
      [2, 'Line 3 is about the same health check.'],
      [3, SAME],
    ],
  ],
  [
    'refuses two such rows by other keys',
    `uuid,name,port\n${uuidOf(1)},,25\n,WEB,26`,
    [
      [2, 'Line 3 is about the same health check.'],
      [3, SAME],
    ],
  ],
  [
    'creates no check of a name that another row gives',
    `uuid,name,protocol,target,port,frequency,customer_id\n${uuidOf(1)},new,,,,,1\n,new,${NEW},1`,
    [
      [2, [uuidOf(1), { name: 'new', customerId: 1 }]],
      [3, 'Line 2 has the same name and customer.'],
    ],
  ],
  [
    'sets no address that the check shows already',
    `uuid,port,http_server_address\n${uuidOf(1)},25,192.0.2.7\n${uuidOf(2)},25,192.0.2.8`,
    [
      [2, [uuidOf(1), { port: 25 }]],
      [3, [uuidOf(2), { port: 25, httpServerAddress: '192.0.2.8' }]],
    ],
  ],
  [
    'names what a new check needs',
    'name,target\nnew,new.example.com',
    [[2, 'No health check has this name. To create it, fill in protocol, port, frequency, customer_id.']],
  ],
  [
    'gives a new check the usual port',
    'name,protocol,target,frequency,customer_id\nnew,HTTPS,new.example.com,60,1\nold,HTTP,http://old.example.com:8080,60,1',
    [
      [
        2,
        { ...USUAL, name: 'new', protocol: 'HTTPS', target: 'new.example.com', port: 443, verifySsl: true },
      ],
      [3, { ...USUAL, name: 'old', protocol: 'HTTP', target: 'http://old.example.com:8080', port: 8080 }],
    ],
  ],
  [
    'doesn’t repeat a target with a password',
    'name,target\nweb,https://ann:secret@x.example.com',
    [
      [
        2,
        'target: A target can’t contain a user name or password, because everyone who can see the health check could read it.',
      ],
    ],
  ],
  ...[`{${uuidOf(1)}}`, uuidOf(1).replaceAll('-', ''), `urn:uuid:${uuidOf(1)}`, uuidOf(1).toUpperCase()].map(
    (uuid): [string, string, unknown[]] => [
      `finds the UUID ${uuid}, and renames its check`,
      `uuid,name\n${uuid},WEB`,
      [[2, [uuidOf(1), { name: 'WEB' }]]],
    ],
  ),
  ...['web', uuidOf(1).slice(1), `${uuidOf(1)}0`, `https://service.example.com/${uuidOf(1)}`].map(
    (uuid): [string, string, unknown[]] => [
      `refuses ${uuid}, which isn’t a UUID`,
      `uuid,name,port\n${uuid},web,25`,
      [[2, 'The uuid isn’t a UUID.']],
    ],
  ),
  ['refuses an unknown UUID', `uuid,port\n${uuidOf(9)},25`, [[2, 'No health check has this UUID.']]],
  ['refuses a row without a name', 'uuid,name,port\n,,25', [[2, 'It has no name.']]],
  ['renames nothing to the name by which it found a check', 'name,frequency\nWEB,60', []],
  [
    'finds no check of another customer',
    'name,customer_id\nweb,7',
    [
      [
        2,
        'No health check has this name and customer. To create it, fill in protocol, target, port, frequency.',
      ],
    ],
  ],
  ['leaves the alerts as they are in an empty cell', 'name,frequency,alerts\nweb,60,', []],
  ['removes the alerts for none', 'name,alerts\nweb,none', [[2, [uuidOf(1), {}], []]]],
  ['replaces the alerts', 'name,alerts\nweb,bob@example.com', [[2, [uuidOf(1), {}], [['bob@example.com']]]]],
  ['reads yes and no', 'name,verify_ssl\nweb,No', [[2, [uuidOf(1), { verifySsl: false }]]]],
  ...['off', 'constructor'].map((cell): [string, string, unknown[]] => [
    `refuses ${cell} in place of yes or no`,
    `name,verify_ssl\nweb,${cell}`,
    [[2, `verify_ssl: Enter yes or no. It is “${cell}”.`]],
  ]),
  [
    'leaves the SSL verification as it is if the file doesn’t have it',
    'name,customer_id,protocol,target\nmail,2,HTTPS,www.example.com',
    [],
  ],
  [
    'reads “resolve” in capitals, too',
    'name,http_server_address\nweb,Resolve',
    [[2, [uuidOf(1), { httpServerAddress: null }]]],
  ],
  [
    'reads semicolons, a byte order mark, and Windows lines',
    '\ufeffname;port\r\nweb;25\r\n',
    [[2, [uuidOf(1), { port: 25 }]]],
  ],
  ['ignores empty lines', 'name,port\n\n\nweb,25\n', [[4, [uuidOf(1), { port: 25 }]]]],
])('an import %s', async (_, file, planned) => {
  expect(await plan(file)).toEqual(planned)
})

it('counts the rows that name a check that doesn’t exist, but not those of a file of what was before', async () => {
  const file = `uuid,name,protocol,target,port,frequency,customer_id,environment\n${uuidOf(9)},new,${NEW},1,`
  const unknown = async (text: string) =>
    (await planFile(createApi(), await parseFile(Buffer.from(text)))).unknown
  expect([await unknown(file), await unknown(`${file}production`)]).toEqual([1, 0])
})

it('says which columns it ignores, unless an export has them', async () => {
  const { ignored } = await parseFile(Buffer.from('name,status,owner,,health_check\nweb,UP,ann,,web'))
  expect(ignored).toEqual(['owner'])
})

it('refuses a file that isn’t UTF-8, has tabs, or names a column twice, and a list that hides checks', async () => {
  const utf16 = ['\ufeff', ''].map((mark) => Buffer.from(`${mark}name,port\nweb,25`, 'utf16le'))
  for (const file of [...utf16, Buffer.from('name\nCafé', 'latin1'), Buffer.from('uuid\tname\n\tweb')])
    await expect(parseFile(file)).rejects.toThrow('save it as “CSV UTF-8”')
  await expect(parseFile(Buffer.from('name,frequency,FREQUENCY\nweb,30,90'))).rejects.toThrow(
    'Two columns are named “frequency”. Remove or rename one of them.',
  )
  await expect(plan('name,port\nweb,25', 1)).rejects.toThrow(
    'Signalman can’t read 1 health check in the service’s list.',
  )
})

it('has alerts of any kind in a cell, unless it can’t read them', () => {
  const [list] = [['ann@example.com']]
  const cells = (alert: object) => toCells('u', {}, [{ type: 'EMAIL', recipients: list ?? [], ...alert }])
  expect(cells({})[9]).toBe('ann@example.com')
  expect(cells({ unreadable: 1 })[9]).toBe('?')
  for (const alert of [{ type: 'SMS' }, { recipients: [] }, { recipients: ['ops@mailhost', 'a, b'] }])
    expect(parseAlertCell(cells(alert)[9])).toEqual([{ type: 'EMAIL', recipients: list, ...alert }])
})

it.each([' ', ';', ',', '[]', '[[]]', 'Ann <>', '?;', '\u200b', 'ann@example.com; ?', '{}', '""'])(
  'refuses %o as the alerts of a check',
  (cell) => {
    expect(parseAlertCell(cell)).toMatch(/ has no (?:address\. To remove all alerts, write “none”|@)\./)
  },
)
