import { expect, it } from 'vitest'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'

const HEADER = 'name,protocol,target,port,frequency,customer_id'
const ROW = 'shop,HTTPS,shop.example.com,443,60,1'
const SEMICOLONS = (text: string) => text.replaceAll(',', ';')
const read = (text: string) => readFile(Buffer.from(text))

const FIELDS = {
  name: 'shop',
  protocol: 'HTTPS',
  target: 'shop.example.com',
  port: 443,
  frequency: 60,
  customerId: 1,
}

it.each([
  { what: 'rows of separators only', text: `${HEADER}\r\n,,,,,\r\n${ROW}\r\n,,,,,\r\n"",,,,,\r\n`, line: 3 },
  { what: 'a first line sep=;', text: `sep=;\r\n${SEMICOLONS(HEADER)}\r\n${SEMICOLONS(ROW)}\r\n`, line: 3 },
  { what: 'a quoted first line sep=,', text: `"sep=,"\n${HEADER}\n${ROW}`, line: 3 },
  { what: 'surplus empty cells', text: `${HEADER}\r\n${ROW},,\r\n`, line: 2 },
  {
    what: 'spaces before quotes',
    text: `${HEADER}\n"shop", "HTTPS" , "shop.example.com", "443", "60", "1"\n`,
    line: 2,
  },
  { what: 'Ctrl-Z at the end', text: `${HEADER}\r\n${ROW}\r\n\u001a`, line: 2 },
  { what: 'Ctrl-Z and a line break at the end', text: `${HEADER}\r\n${ROW}\r\n\u001a\r\n`, line: 2 },
  { what: 'a title above the header', text: `Our checks\r\n\r\n${HEADER}\r\n${ROW}\r\n`, line: 4 },
  {
    what: 'a title with surplus separators',
    text: `Our checks, 2026;;;;;\n${SEMICOLONS(HEADER)}\n${SEMICOLONS(ROW)}`,
    line: 3,
  },
  { what: 'comment lines', text: `# made by hand, do not edit\n${HEADER}\n# shops,,,,,\n${ROW}\n`, line: 4 },
  {
    what: 'tabs with an empty first cell',
    text: `uuid\t${HEADER.replaceAll(',', '\t')}\n\t${ROW.replaceAll(',', '\t')}\n`,
    line: 2,
  },
])('reads $what', async ({ text, line }) => {
  const { rows, bad } = await read(text)
  expect(bad).toEqual([])
  expect(rows).toMatchObject([{ line, patch: FIELDS }])
})

it('reads two thousand rows of separators only', async () => {
  const { rows, bad } = await read(`${HEADER}\n${ROW}\n${',,,,,\n'.repeat(2000)}`)
  expect([rows.length, bad.length]).toEqual([1, 0])
})

it('still reports surplus cells with text, and a file without a header', async () => {
  expect((await read(`${HEADER}\n${ROW},,x`)).bad).toMatchObject([{ line: 2, column: 'row' }])
  await expect(read('Our checks\nshop\n')).rejects.toThrow('has no “name” or “uuid” column')
  await expect(read(`${HEADER}\n,,,,,\n`)).rejects.toThrow('has no rows')
})

it('keeps a check whose name starts with a number sign', async () => {
  const { rows } = await read(`${HEADER}\n${ROW.replace('shop,', '#shop,')}`)
  expect(rows).toMatchObject([{ patch: { name: '#shop' } }])
  expect((await read('name\n#shop\n')).rows).toMatchObject([{ patch: { name: '#shop' } }])
})

it('fills an empty port from the URL, and asks about two different ones', async () => {
  const row = (port: string) => `${HEADER}\nshop,HTTPS,https://shop.example.com:8443/health,${port},60,1`
  expect((await read(row(''))).rows).toMatchObject([{ patch: { port: 8443 } }])
  expect((await read(row('8443'))).rows).toMatchObject([{ patch: { port: 8443 } }])
  expect((await read(row('443'))).bad).toMatchObject([
    { line: 2, column: 'port', reason: expect.stringContaining('The target says port 8443') },
  ])
})
