import { describe, expect, it } from 'vitest'
import { TEXT_LIMITS } from '../../../../packages/runtime/src/text-limits.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { hostileTexts, longestTurnMs } from '../../../hostile-texts.ts'
import { seedOf } from '../../../random.ts'

/** Three times what nobody notices: a slow machine, and its garbage collector, work longer on the same. */
const MOST_MS = 150
const MB = 1024 * 1024
const HEAD = 'name,customer_id,protocol,target,port,frequency,alerts\n'

const entry = (nth: number): string =>
  `- name: check ${nth}\n  customer_id: 5\n  protocol: HTTPS\n  target: https://h${nth}.example.com/\n  port: 443\n  frequency: 60\n  alerts:\n    - [a${nth}@example.com]\n`
const row = (nth: number): string =>
  `check ${nth},5,HTTPS,https://h${nth}.example.com/,443,60,"a${nth}@example.com, b@example.com"\n`
const many = (count: number, of: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => of(nth)).join('')

const seed = seedOf()

const longestTurnOf = (bytes: Buffer, name: string): Promise<number> =>
  longestTurnMs(() => readFile(bytes, name), MOST_MS)

describe(`no file of health checks holds others up, seed ${seed}`, () => {
  it.each([
    { what: 'an entry of YAML', name: 'x.yaml', of: (text: string) => `- ${text}` },
    { what: 'a value of YAML', name: 'x.yaml', of: (text: string) => `- name: ${text}\n  port: 1` },
    { what: 'a list within YAML', name: 'x.yaml', of: (text: string) => `- alerts: [[${text}]]` },
    { what: 'a row', name: 'x.csv', of: (text: string) => `${HEAD}${text}` },
    {
      what: 'a cell',
      name: 'x.csv',
      of: (text: string) => `${HEAD}x,5,TCP,y,1,60,"${text.replaceAll('"', '')}"\n`,
    },
  ])('with any text as $what', async ({ name, of }) => {
    const slow: string[] = []
    for (const { what, text } of hostileTexts(TEXT_LIMITS.fileEntry - 100, seed, 4)) {
      const ms = await longestTurnOf(Buffer.from(of(text)), name)
      if (ms > MOST_MS) slow.push(`${what}: ${Math.round(ms)} ms`)
    }
    expect(slow).toEqual([])
  })

  it.each([
    { what: '8 MB of comments', name: 'x.yaml', text: () => '#\n'.repeat(4 * MB) },
    { what: '8 MB of comments in one entry', name: 'x.yaml', text: () => `- a: 1\n${'#\n'.repeat(4 * MB)}` },
    { what: '8 MB of empty lines', name: 'x.csv', text: () => HEAD + '\n'.repeat(8 * MB) },
    { what: '8 MB of quotes', name: 'x.csv', text: () => HEAD + '"\n'.repeat(4 * MB) },
    { what: 'rows of one letter', name: 'x.csv', text: () => HEAD + 'a\n'.repeat(20_000) },
    { what: 'entries of one letter', name: 'x.yaml', text: () => '- a\n'.repeat(20_000) },
    { what: '20,000 honest rows', name: 'x.csv', text: () => HEAD + many(20_000, row) },
    { what: '5,000 honest entries', name: 'x.yaml', text: () => many(5000, entry) },
  ])('of $what', async ({ name, text }) => {
    expect(await longestTurnOf(Buffer.from(text()), name)).toBeLessThanOrEqual(MOST_MS)
  })

  it.each([
    {
      what: 'more than 50,000 rows',
      text: HEAD + many(50_001, row),
      name: 'x.csv',
      says: 'more than 50,000 rows',
    },
    {
      what: 'a row of 33 KB',
      text: `${HEAD}${'a'.repeat(33_000)}`,
      name: 'x.csv',
      says: 'one row is longer than any',
    },
    {
      what: 'an entry of 33 KB',
      text: `- ${'a'.repeat(33_000)}`,
      name: 'x.yaml',
      says: 'has more than 32 KB',
    },
    { what: 'lists 21 deep', text: `- ${'['.repeat(21)}`, name: 'x.yaml', says: 'more than 20 deep' },
    {
      what: 'more than 10,000 faults',
      text: HEAD + 'a\n'.repeat(9000),
      name: 'x.csv',
      says: 'More than 10,000 cells',
    },
  ])('and $what is refused with the limit', async ({ text, name, says }) => {
    await expect(readFile(Buffer.from(text), name)).rejects.toThrow(says)
  })
})
