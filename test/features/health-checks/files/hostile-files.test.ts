import { UserError } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { parseFile } from '../../../../src/features/health-checks/files/parse-file.ts'
import { createHostileTexts } from '../../../hostile-texts.ts'
import { eitherOf } from '../../../long.ts'
import { readSeed } from '../../../random.ts'

const MB = 1024 * 1024
/** The largest record that is read. */
const MAX_RECORD = 192 * 1024
const HEADER = 'name,customer_id,protocol,target,port,frequency,alerts\n'

describe('hostile files of health checks', () => {
  it.each(
    eitherOf([
      { name: 'a row', wrap: (text: string) => `${HEADER}${text}` },
      {
        name: 'a cell',
        wrap: (text: string) => `${HEADER}x,5,TCP,y,1,60,"${text.replaceAll('"', '')}"\n`,
      },
    ]),
  )('are read, or refused with a sentence, with any text as $name', async ({ wrap }) => {
    const faults: string[] = []
    for (const { name, text } of createHostileTexts(MAX_RECORD - 1000, readSeed(), 4))
      await parseFile(Buffer.from(wrap(text))).catch((error: unknown) => {
        if (!(error instanceof UserError)) faults.push(`${name}: ${String(error)}`)
      })
    expect(faults).toEqual([])
  })

  it.each([
    { name: '4 MB of empty lines', text: HEADER + '\n'.repeat(4 * MB), expected: 'has no rows' },
    { name: 'too many rows', text: HEADER + 'a\n'.repeat(50_000), expected: 'A file can have 5,000 rows' },
    {
      name: 'too many alerts',
      text: HEADER + `x,5,TCP,y,1,60,${'a@b.example;'.repeat(10_001)}\n`.repeat(10),
      expected: 'A file can have 100,000 alerts',
    },
    { name: 'a row of 193 KB', text: `${HEADER}${'a'.repeat(193 * 1024)}`, expected: 'isn’t valid CSV' },
    { name: 'a lone quote', text: `${HEADER}a\nb"c,1\n`, expected: 'isn’t valid CSV near line 3' },
    { name: '10 MB of commas', text: ','.repeat(10 * MB), expected: 'a line that is too long' },
    {
      name: '10 MB in one cell',
      text: `${HEADER}"${'a,'.repeat(5 * MB)}`,
      expected: 'a line that is too long',
    },
    { name: '192 KB of commas', text: `name${','.repeat(192 * 1024)}`, expected: 'has no rows' },
    { name: 'rows of quotes', text: HEADER + '"\n'.repeat(200_000), expected: 'has no rows' },
  ])('are refused with a sentence that says why: $name', async ({ text, expected }) => {
    await expect(parseFile(Buffer.from(text))).rejects.toThrow(expected)
  })
})
