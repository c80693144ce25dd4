import { describe, expect, it } from 'vitest'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { createHostileTexts, findLongestTurnMs } from '../../../hostile-texts.ts'
import { eitherOf } from '../../../long.ts'
import { readSeed } from '../../../random.ts'

/** A hostile file may block the event loop for at most this many times as long as a normal file on the same machine. */
const MAX_SLOWDOWN = 5
/** The minimum to assume for the normal file, because a garbage collection alone can block the event loop for this long. */
const MIN_BASELINE_MS = 100
const MB = 1024 * 1024
/** The largest record that is read. */
const MAX_RECORD = 256 * 1024
const HEADER = 'name,customer_id,protocol,target,port,frequency,alerts\n'

const row = (index: number): string =>
  `check ${index},5,HTTPS,https://h${index}.example.com/,443,60,"a${index}@example.com, b@example.com"\n`
const repeatRows = (count: number, createRow: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => createRow(index)).join('')

const seed = readSeed()

const measureLongestTurn = (bytes: Buffer, stopAtMs: number): Promise<number> =>
  findLongestTurnMs(() => readFile(bytes), stopAtMs)

/** How long a hostile file may block the event loop on this machine. Measured once, by the first test that asks. */
let maxTurnMs: Promise<number> | undefined
function measureMaxTurnMs(): Promise<number> {
  maxTurnMs ??= measureLongestTurn(Buffer.from(HEADER + repeatRows(20_000, row)), MIN_BASELINE_MS).then(
    (ms) => MAX_SLOWDOWN * Math.max(MIN_BASELINE_MS, ms),
  )
  return maxTurnMs
}

describe(`hostile files of health checks, seed ${seed}`, () => {
  it.each(
    eitherOf([
      { name: 'a row', wrap: (text: string) => `${HEADER}${text}` },
      {
        name: 'a cell',
        wrap: (text: string) => `${HEADER}x,5,TCP,y,1,60,"${text.replaceAll('"', '')}"\n`,
      },
    ]),
  )('don’t block the event loop with any text as $name', async ({ wrap }) => {
    const maxMs = await measureMaxTurnMs()
    const slowTexts: string[] = []
    for (const { name, text } of createHostileTexts(MAX_RECORD - 1000, seed, 4)) {
      const ms = await measureLongestTurn(Buffer.from(wrap(text)), maxMs)
      if (ms > maxMs) slowTexts.push(`${name}: ${Math.round(ms)} ms`)
    }
    expect(slowTexts).toEqual([])
  })

  it.each([
    { name: '4 MB of empty lines', text: HEADER + '\n'.repeat(4 * MB), expected: 'has no rows' },
    { name: 'too many rows', text: HEADER + 'a\n'.repeat(50_000), expected: 'A file can have 5,000 rows' },
    { name: 'a row of 257 KB', text: `${HEADER}${'a'.repeat(257 * 1024)}`, expected: 'isn’t valid CSV' },
    { name: '10 MB of commas', text: ','.repeat(10 * MB), expected: 'a line that is too long' },
    {
      name: '10 MB in one cell',
      text: `${HEADER}"${'a,'.repeat(5 * MB)}`,
      expected: 'a line that is too long',
    },
    { name: '256 KB of commas', text: `name${','.repeat(256 * 1024)}`, expected: 'has no rows' },
    { name: 'rows of quotes', text: HEADER + '"\n'.repeat(200_000), expected: 'A file can have 5,000 rows' },
  ])(
    'don’t block the event loop with $name, and are rejected with an error that says so',
    async ({ text, expected }) => {
      const maxMs = await measureMaxTurnMs()
      const bytes = Buffer.from(text)
      let problem: unknown
      const read = () =>
        readFile(bytes).catch((error: unknown) => {
          problem = error
        })
      expect(await findLongestTurnMs(read, maxMs)).toBeLessThanOrEqual(maxMs)
      expect(String(problem)).toContain(expected)
    },
  )
})
